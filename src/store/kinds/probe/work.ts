// The model at work for a probe: the probe itself, its trainings, and what a gradient takes; one at a time, each gone on with where it
// was stopped.

import type { StoreApi } from 'zustand/vanilla';
import { probeWork } from '../../../lab/kinds/probe/work.ts';
import type { ProbeAsk, ProbeRecord, ProbeTraining } from '../../../lab/protocol/probe.ts';
import type { StoreContext } from '../../context.ts';
import { unlessCancelled } from '../../lab-state.ts';
import { stopTask } from '../../stop-task.ts';
import { askOf, DEFAULTS } from './form.ts';
import type { ProbeState } from './state.ts';

/** Lists of the lab that a probe changes, read again. */
export interface ProbeRefresh {
  probes(): Promise<void>;
  /** Pools and bases: it may have had a pool written, and has extracted a basis. */
  artifacts(): Promise<void>;
}

export function createProbeWork(
  { store: lab, client, notices }: StoreContext,
  store: StoreApi<ProbeState>,
  { probes: refresh, artifacts }: ProbeRefresh,
  show: (id: string) => Promise<void>,
) {
  let tasks = 0;
  /** The device that the pace was measured on. */
  let priced: string | null = null;

  client.subscribe((event) => {
    if (event.type === 'probe') {
      const { type: _, ...at } = event;
      const { work } = store.getState();
      if (work?.task === at.task) store.setState({ work: { ...work, ...at } });
    } else if (event.type === 'kept' && event.kind === 'probe') void arrived(event.id);
  });

  /** An imported one is put on show. */
  async function arrived(id: string): Promise<void> {
    await refresh();
    if (lab.getState().kept.probe.find((record) => record.id === id)?.file) await show(id);
    else if (store.getState().work) lab.setState({ probingId: id });
  }

  /** The model is at work until `ask` answers; what it answers is put on show. Null, and a problem, where it did not. */
  async function working(
    check: ProbeTraining['check'] | null,
    ask: (task: string) => Promise<ProbeRecord>,
  ): Promise<ProbeRecord | null> {
    if (store.getState().work) return null;
    const task = `probe-${++tasks}`;
    const begin = { what: 'preparing', done: 0, total: 0, fraction: 0, etaSeconds: null, stopping: false };
    store.setState({ work: { task, check, ...begin }, problem: null });
    lab.setState({ probing: true });
    let record: ProbeRecord | null = null;
    try {
      record = await ask(task);
      await show(record.id);
    } catch (error) {
      const problem = unlessCancelled(error);
      store.setState({ problem: problem && { ...problem, check } });
    }
    store.setState({ work: null });
    lab.setState({ probing: false, probingId: null });
    await refresh();
    return record;
  }

  async function run(ask: ProbeAsk): Promise<void> {
    const from = performance.now();
    // A probe that goes on, or is only shown again, says nothing about the pace.
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
    /** Goes on with a kept probe of the same request. */
    run,
    start: () => run(askOf(store.getState().form)),

    /** T5, or T6 with it, of the probe on show; goes on where it was stopped. */
    async train(check: ProbeTraining['check']): Promise<void> {
      const { shown, training } = store.getState();
      if (!shown) return;
      const { id } = shown.record;
      await working(check, (task) => client.request('trainProbe', { task, id, training: { check, ...training } }));
    },

    /** Of a kept probe, as it was asked for and stopped. */
    async goOn({ id, training }: ProbeRecord): Promise<void> {
      if (!training) return;
      const { check, ...asked } = training;
      store.setState({ training: asked });
      await show(id);
      await working(check, (task) => client.request('trainProbe', { task, id, training }));
    },

    async stop(): Promise<void> {
      const { work } = store.getState();
      if (!work) return;
      store.setState({ work: { ...work, stopping: true } });
      await stopTask({ client, notices }, work.task);
    },

    /** Measured once a device, while nothing else has the model. */
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
        // Without a measurement the price is told in gradients alone.
      }
    },
  };
}
