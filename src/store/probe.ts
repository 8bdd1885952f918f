// The Probe view's own store: what is asked, how far it is, what is kept, and the probe on show. It arrives with the view.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { CORRECT_ROWS, PROBE_PROBLEMS, PROBE_SAMPLES } from '../experiments/probe/spec.ts';
import { PRESETS, type Settings } from '../experiments/spec.ts';
import { probeWork } from '../lab/probe-work.ts';
import type { LoadedProbe, ProbeAsk, ProbeEvent, ProbeRecord } from '../lab/protocol-probe.ts';
import { StoppedError } from '../lib/errors.ts';
import { readField, settingText } from './form.ts';
import { type Problem, problemOf } from './lab-state.ts';
import type { StoreContext } from './lab-store.ts';

/** Settings of a run that the form shows, in its order. */
export const PROBE_FIELDS = ['k', 'pairs', 'tauAxis', 'basisKind', 'gate', 'adapter', 'lr'] as const;
export type ProbeField = (typeof PROBE_FIELDS)[number];
/** LoRA diverges at the rate of the knobs on singular directions. */
const LORA_LR = 0.003;
/** A probe's settings are this preset's unless they are told otherwise. */
const USUAL: Settings = PRESETS.classic.settings;

export interface ProbeForm {
  /** `templates`, or a kept pool's sha-256. */
  teacher: string;
  /** Of the templates' samples of a problem, how many have the right body beside the exploit. */
  correct: number;
  problems: number;
  samples: number;
  seed: number;
  /** `set <pair set>` or `file <kept basis>`. */
  basis: string;
  /** As typed. */
  fields: Record<ProbeField, string>;
}

export interface ProbeState {
  form: ProbeForm;
  /** Seconds for one sample's gradient; null while that is not known. */
  perSample: number | null;
  work: (Omit<ProbeEvent, 'type'> & { stopping: boolean }) | null;
  problem: Problem | null;
  kept: ProbeRecord[];
  shown: LoadedProbe | null;
}

export const DEFAULT_FORM: ProbeForm = {
  teacher: 'templates',
  correct: CORRECT_ROWS,
  problems: PROBE_PROBLEMS,
  samples: PROBE_SAMPLES,
  seed: 41,
  basis: `set ${USUAL.pairSet}`,
  fields: Object.fromEntries(PROBE_FIELDS.map((name) => [name, settingText(USUAL[name])])) as ProbeForm['fields'],
};

/** What is wrong with the typed settings, by field. */
export function checkProbe({
  fields,
  correct,
  samples,
  teacher,
}: ProbeForm): Partial<Record<ProbeField | 'correct', string>> {
  const wrong: Partial<Record<ProbeField | 'correct', string>> = Object.fromEntries(
    PROBE_FIELDS.flatMap((name) => {
      const read = readField(name, fields[name]);
      return 'error' in read ? [[name, read.error]] : [];
    }),
  );
  if (teacher === 'templates' && correct > samples) wrong.correct = `At most the ${samples} samples of a problem.`;
  return wrong;
}

/** Of a form in which nothing is wrong. Only what differs from the usual settings is asked for. */
export function askOf(form: ProbeForm): ProbeAsk {
  const { teacher, correct, problems, samples, seed, basis, fields } = form;
  const [kind, id] = [basis.slice(0, basis.indexOf(' ')), basis.slice(basis.indexOf(' ') + 1)];
  const typed = PROBE_FIELDS.flatMap((name) => {
    const read = readField(name, fields[name]);
    return 'error' in read || read.value === USUAL[name] ? [] : [[name, read.value]];
  });
  const from = kind === 'file' ? { basisSource: 'file', basisFile: id } : id === USUAL.pairSet ? {} : { pairSet: id };
  return {
    teacher: teacher === 'templates' ? { kind: 'templates', correct } : { kind: 'pool', sha256: teacher },
    ...{ problems, samples, seed },
    settings: { ...Object.fromEntries(typed), ...from } as Partial<Settings>,
  };
}

export interface ProbeCost {
  /** Gradients of single completions. */
  gradients: number;
  /** Null while no measurement is there. */
  seconds: number | null;
  /** Kept in the browser, about. */
  bytes: number;
}

/** Two rows a sample, each with its text, the random axes' figures and every module's. */
const ROW_BYTES = 2200;

export function costOf({ problems, samples, fields }: ProbeForm, perSample: number | null): ProbeCost {
  const pairs = readField('pairs', fields.pairs);
  const gradients = probeWork(samples, problems, 'error' in pairs ? 0 : Number(pairs.value)).all;
  return {
    gradients,
    seconds: perSample === null ? null : perSample * gradients,
    bytes: 2 * samples * problems * ROW_BYTES,
  };
}

export function createProbe({ store: lab, client, notices }: StoreContext) {
  const store: StoreApi<ProbeState> = createStore<ProbeState>(() => ({
    form: DEFAULT_FORM,
    perSample: null,
    work: null,
    problem: null,
    kept: [],
    shown: null,
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

  async function arrived(id: string): Promise<void> {
    await refresh();
    if (store.getState().kept.find((record) => record.id === id)?.file) await show(id);
  }

  async function refresh(): Promise<void> {
    try {
      store.setState({ kept: await client.request('listProbes', null) });
    } catch (error) {
      notices.fail(error);
    }
  }

  async function show(id: string): Promise<void> {
    try {
      store.setState({ shown: await client.request('loadProbe', { id }) });
    } catch (error) {
      notices.fail(error);
    }
  }

  async function run(ask: ProbeAsk): Promise<void> {
    if (store.getState().work) return;
    const task = `probe-${++tasks}`;
    const begin = { task, what: 'preparing', done: 0, total: 0, fraction: 0, etaSeconds: null, stopping: false };
    store.setState({ work: begin, problem: null });
    const from = performance.now();
    // A probe that goes on, or is only shown again, says nothing about the pace.
    let first: number | null = null;
    const unsubscribe = store.subscribe(({ work }) => {
      if (work?.what === 'vanilla replay') first ??= work.done;
    });
    try {
      const record = await client.request('runProbe', { task, ask });
      const { problems, samples, settings } = ask;
      const seconds = (performance.now() - from) / 1000;
      if (first === 0) {
        priced = lab.getState().device?.name ?? '';
        store.setState({ perSample: seconds / probeWork(samples, problems, settings.pairs ?? USUAL.pairs).all });
      }
      await show(record.id);
    } catch (error) {
      // Whoever pressed Stop knows; whoever was interrupted by a run is told.
      const stopped = error instanceof StoppedError && error.message === 'stopped';
      store.setState({ problem: stopped ? null : problemOf(error) });
    }
    unsubscribe();
    store.setState({ work: null });
    await refresh();
    // It has extracted one.
    await client.request('listBases', null).then(
      (bases) => lab.setState({ bases }),
      (error) => notices.fail(error),
    );
  }

  return {
    store,
    refresh,
    show,
    /** Goes on with a kept probe of the same request. */
    run,
    start: () => run(askOf(store.getState().form)),

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

    async remove({ id }: ProbeRecord): Promise<void> {
      try {
        await client.request('deleteProbe', { id });
        if (store.getState().shown?.record.id === id) store.setState({ shown: null });
      } catch (error) {
        notices.fail(error);
      }
      await refresh();
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
