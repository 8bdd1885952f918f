// The model's work for a probe: the probe itself, its trainings, and the measurement of a gradient's duration. Only one runs at a time, and
// each resumes where it was stopped.

import type { StoreApi } from 'zustand/vanilla';
import { probeWork } from '../../../lab/kinds/probe/work.ts';
import type { ProbeAsk, ProbeRecord, ProbeTraining } from '../../../lab/protocol/probe.ts';
import type { StoreContext } from '../../context.ts';
import { unlessCancelled } from '../../lab-state.ts';
import { createWorkerTask } from '../../worker-task.ts';
import { askOf, DEFAULTS } from './form.ts';
import type { ProbeState } from './state.ts';

/** Reloads the lab's lists that a probe changes. */
export interface ProbeRefresh {
  probes(): Promise<void>;
  /** Reloads pools and bases, because a probe may write a pool and extracts a basis. */
  artifacts(): Promise<void>;
}

export function createProbeWork(
  { store: lab, client, notices }: StoreContext,
  store: StoreApi<ProbeState>,
  { probes: refresh, artifacts }: ProbeRefresh,
  show: (id: string) => Promise<void>,
) {
  /** Name of the device on which `perSample` was measured. */
  let priced: string | null = null;

  const task = createWorkerTask({ client, notices }, 'probe', store);

  client.subscribe((event) => {
    if (event.type === 'kept' && event.kind === 'probe') void arrived(event.id);
  });

  /** Shows a probe that was imported. */
  async function arrived(id: string): Promise<void> {
    await refresh();
    if (lab.getState().kept.probe.find((record) => record.id === id)?.file) await show(id);
    else if (store.getState().work) lab.setState({ probingId: id });
  }

  /** Marks the model as in use until `ask` answers, and shows the resulting record. If `ask` fails, null, and a problem is set. */
  function working(
    check: ProbeTraining['check'] | null,
    ask: (task: string) => Promise<ProbeRecord>,
  ): Promise<ProbeRecord | null> {
    const begin = { what: 'preparing', done: 0, total: 0, fraction: 0, etaSeconds: null, stopping: false };
    const shown = async (name: string) => {
      store.setState({ problem: null });
      lab.setState({ probing: true });
      try {
        const record = await ask(name);
        await show(record.id);
        return record;
      } finally {
        lab.setState({ probing: false, probingId: null });
        await refresh();
      }
    };
    return task.run({ ...begin, check }, shown, (error) => {
      const problem = unlessCancelled(error);
      store.setState({ problem: problem && { ...problem, check } });
    });
  }

  async function run(ask: ProbeAsk): Promise<void> {
    const from = performance.now();
    // A probe that is resumed, or only shown again, does not measure the pace.
    let first: number | null = null;
    const unsubscribe = store.subscribe(({ work }) => {
      if (work?.what === 'vanilla replay') first ??= work.done;
    });
    const record = await working(null, (task) => client.request('runProbe', { task, ask }));
    unsubscribe();
    if (record && first === 0) {
      const { problems, samples, settings } = ask;
      const seconds = (performance.now() - from) / 1000;
      priced = lab.getState().device?.name ?? '';
      store.setState({ perSample: seconds / probeWork(samples, problems, settings.pairs ?? DEFAULTS.pairs).all });
    }
    await artifacts();
  }

  return {
    /** Resumes a stored probe with the same request, if there is one. */
    run,
    start: () => run(askOf(store.getState().form)),

    /** Runs the trainings T5, or T5 and T6, of the probe on show. Resumes where it was stopped. */
    async train(check: ProbeTraining['check']): Promise<void> {
      const { shown, training } = store.getState();
      if (!shown) return;
      const { id } = shown.record;
      await working(check, (task) => client.request('trainProbe', { task, id, training: { check, ...training } }));
    },

    /** Resumes the stopped training of a stored probe. */
    async goOn({ id, training }: ProbeRecord): Promise<void> {
      if (!training) return;
      const { check, ...asked } = training;
      store.setState({ training: asked });
      await show(id);
      await working(check, (task) => client.request('trainProbe', { task, id, training }));
    },

    stop: () => task.stop({ stopping: true }),

    /** Measures the pace once per device, while nothing else uses the model. */
    async price(): Promise<void> {
      const device = lab.getState().device?.name ?? '';
      if (device !== priced) store.setState({ perSample: null });
      if (store.getState().perSample !== null || store.getState().work || lab.getState().busy) return;
      try {
        const { perSample } = await client.request('probePace');
        if (perSample === null) return;
        priced = device;
        store.setState({ perSample });
      } catch {
        // Without a measurement the cost is shown only as a number of gradients.
      }
    },
  };
}
