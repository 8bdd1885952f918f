// The Probe view's own store: what is asked, how far it is, and the probe on show. It arrives with the view; what is kept
// stands in the lab's own state, for the list of runs has it too.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { OWN_PAIRS } from '../experiments/artifacts.ts';
import type { ProbeSeries } from '../experiments/probe/series.ts';
import { probeWork } from '../lab/probe-work.ts';
import type { LoadedProbe, ProbeAsk, ProbeEvent, ProbeRecord, ProbeTraining } from '../lab/protocol-probe.ts';
import { StoppedError } from '../lib/errors.ts';
import { encodeProbe, probeDigest, type SharedProbe } from '../share/shared-probe.ts';
import { type Problem, problemOf } from './lab-state.ts';
import type { StoreContext } from './lab-store.ts';
import { askOf, DEFAULT_FORM, LORA_LR, type ProbeField, type ProbeForm, USUAL, USUAL_TRAINING } from './probe-form.ts';
import { withProbe } from './probe-link.ts';
import { loadPublishedProbes } from './probe-published.ts';

export interface ProbeState {
  form: ProbeForm;
  /** Seconds for one sample's gradient; null while that is not known. */
  perSample: number | null;
  /** `check`: of a training; null while a probe itself is at work. */
  work: (Omit<ProbeEvent, 'type'> & { stopping: boolean; check: ProbeTraining['check'] | null }) | null;
  /** `check`: it is a training's, and is said beside it. */
  problem: (Problem & { check: ProbeTraining['check'] | null }) | null;
  /** What T5 and T6 are to be trained with. */
  training: Omit<ProbeTraining, 'check'>;
  shown: LoadedProbe | null;
  /** Probes that are published with the lab: null until they are read, empty where there are none. */
  published: readonly ProbeSeries[] | null;
  /** Why they could not be read. */
  publishedProblem: Problem | null;
  /** Results that came with the address; not run here. */
  shared: SharedProbe | null;
  /** Whether the probe on show is it, to the last bit; null while none of the same request is on show. */
  sharedIsSame: boolean | null;
}

/** Lists of the lab that a probe changes, read again. */
export interface ProbeRefresh {
  probes(): Promise<void>;
  /** Pools and bases: it may have had a pool written, and has extracted a basis. */
  artifacts(): Promise<void>;
}

export function createProbe(
  { store: lab, client, notices }: StoreContext,
  { probes: refresh, artifacts }: ProbeRefresh,
) {
  const store: StoreApi<ProbeState> = createStore<ProbeState>(() => ({
    form: DEFAULT_FORM,
    perSample: null,
    work: null,
    problem: null,
    training: USUAL_TRAINING,
    shown: null,
    published: null,
    publishedProblem: null,
    shared: null,
    sharedIsSame: null,
  }));
  let tasks = 0;
  /** The device that the pace was measured on. */
  let priced: string | null = null;

  client.subscribe((event) => {
    if (event.type === 'probe') {
      const { type: _, ...at } = event;
      const { work } = store.getState();
      if (work?.task === at.task) store.setState({ work: { ...work, ...at } });
    } else if (event.type === 'probe-kept') void arrived(event.id);
  });

  /** An imported one is put on show. */
  async function arrived(id: string): Promise<void> {
    await refresh();
    if (lab.getState().probes.find((record) => record.id === id)?.file) await show(id);
    else if (store.getState().work) lab.setState({ probingId: id });
  }

  /** The request that came with the shared results. */
  let sharedAsk = '';
  async function compare({ ask, report }: ProbeRecord): Promise<void> {
    const { shared } = store.getState();
    if (!shared || !report || !ask || JSON.stringify(ask) !== sharedAsk) return;
    store.setState({ sharedIsSame: (await probeDigest(report)) === shared.digest });
  }

  async function show(id: string): Promise<void> {
    try {
      const shown = await client.request('loadProbe', { id });
      store.setState({ shown });
      await compare(shown.record);
    } catch (error) {
      notices.fail(error);
    }
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
      // Whoever pressed Stop knows; whoever was interrupted by a run is told.
      const stopped = error instanceof StoppedError && error.message === 'stopped';
      store.setState({ problem: stopped ? null : { ...problemOf(error), check } });
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
      store.setState({ perSample: seconds / probeWork(samples, problems, settings.pairs ?? USUAL.pairs).all });
    }
    await artifacts();
  }

  return {
    store,
    refresh,
    show,
    /** Once; again after it failed. `base`: the page's own address. */
    async readPublished(base: string): Promise<void> {
      if (store.getState().published) return;
      try {
        store.setState({ published: await loadPublishedProbes(base), publishedProblem: null });
      } catch (error) {
        store.setState({ publishedProblem: problemOf(error) });
      }
    },
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

    setTraining(changes: Partial<ProbeState['training']>): void {
      store.setState(({ training }) => ({ training: { ...training, ...changes } }));
    },

    /** Results that came with the address, and the request that came with them. */
    setShared(shared: SharedProbe | null): void {
      sharedAsk = JSON.stringify(askOf(store.getState().form));
      store.setState({ shared, sharedIsSame: null });
    },

    /** The address of a kept probe, with as much of its results as fits; null, and a notice, where it is gone. */
    async linkOf(
      record: ProbeRecord,
      href: string,
    ): Promise<{ href: string; carries: 'all' | 'steps' | 'verdicts' | null; needs: boolean } | null> {
      try {
        const { ask } = record;
        const loaded = record.report ? await client.request('loadProbe', { id: record.id }) : null;
        const { connection } = lab.getState();
        const appVersion = connection.status === 'ready' ? connection.report.appVersion : '';
        const report = loaded?.record.report;
        const results = report
          ? await encodeProbe(report, loaded.rows.vanilla, { device: record.device, appVersion })
          : null;
        const needs =
          ask !== null &&
          (ask.teacher.kind === 'pool' ||
            Boolean(ask.settings.basisFile) ||
            Boolean(ask.settings.pairSet?.startsWith(OWN_PAIRS)));
        return { href: await withProbe(href, ask, results?.hash ?? ''), carries: results?.carries ?? null, needs };
      } catch (error) {
        notices.fail(error);
        return null;
      }
    },

    async stop(): Promise<void> {
      const { work } = store.getState();
      if (!work) return;
      store.setState({ work: { ...work, stopping: true } });
      await client.request('stopProbe', { task: work.task }).catch((error) => notices.fail(error));
    },

    set(changes: Partial<Omit<ProbeForm, 'fields'>>): void {
      store.setState(({ form }) => ({ form: { ...form, ...changes } }));
    },

    /** The whole form, as an address has it. */
    fill: (form: ProbeForm) => store.setState({ form }),

    setField(name: ProbeField, value: string): void {
      const { form } = store.getState();
      const fields = { ...form.fields, [name]: value };
      if (name === 'adapter') fields.lr = String(value === 'lora' ? LORA_LR : USUAL.lr);
      store.setState({ form: { ...form, fields } });
    },

    /** Measured once a device, while nothing else has the model. */
    async price(): Promise<void> {
      const device = lab.getState().device?.name ?? '';
      if (device !== priced) store.setState({ perSample: null });
      if (store.getState().perSample !== null || store.getState().work || lab.getState().busy) return;
      try {
        const { perSample } = await client.request('probePace', null);
        if (perSample === null) return;
        priced = device;
        store.setState({ perSample });
      } catch {
        // Without a measurement the price is told in gradients alone.
      }
    },

    /** It is no longer kept. */
    forget({ id }: ProbeRecord): void {
      if (store.getState().shown?.record.id === id) store.setState({ shown: null });
    },

    /** Null, and a notice, where it failed. */
    async exported({ id }: ProbeRecord): Promise<Blob | null> {
      try {
        return await client.request('exportProbe', { id });
      } catch (error) {
        notices.fail(error);
        return null;
      }
    },
  };
}

export type Probe = ReturnType<typeof createProbe>;
