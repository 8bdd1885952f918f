// The Probe view's own store: the form, the progress, and the probe on show. It is loaded with the view. Stored probes are in the lab's
// state, because the list of runs shows them too.

import { PROBE_INDEX, type ProbeSeries, readProbeIndex, readSeries } from '../../../experiments/kinds/probe/series.ts';
import type { StoreContext } from '../../context.ts';
import { problemOf } from '../../lab-state.ts';
import { type Fetch, publishedFiles, readExisting } from '../../published-file.ts';
import { DEFAULTS, LORA_LR, type ProbeField, type ProbeForm } from './form.ts';
import { createShown } from './shown.ts';
import { createProbeStore, type ProbeState } from './state.ts';
import { createProbeWork, type ProbeRefresh } from './work.ts';

export type { ProbeState } from './state.ts';

export function createProbe(context: StoreContext, refresh: ProbeRefresh) {
  const store = createProbeStore();
  const shown = createShown(context, store);
  return {
    store,
    refresh: refresh.probes,
    ...shown,
    ...createProbeWork(context, store, refresh, shown.show),

    /** Reads once, and again after a failure. `base` is the page's own address. */
    async readPublished(base: string): Promise<void> {
      if (store.getState().published) return;
      try {
        store.setState({ published: await loadPublishedProbes(base), publishedProblem: null });
      } catch (error) {
        store.setState({ publishedProblem: problemOf(error) });
      }
    },
    setTraining(changes: Partial<ProbeState['training']>): void {
      store.setState(({ training }) => ({ training: { ...training, ...changes } }));
    },

    set(changes: Partial<Omit<ProbeForm, 'fields'>>): void {
      store.setState(({ form }) => ({ form: { ...form, ...changes } }));
    },

    /** Replaces the whole form, as when an address is opened. */
    fill: (form: ProbeForm) => store.setState({ form }),

    setField(name: ProbeField, value: string): void {
      const { form } = store.getState();
      const fields = { ...form.fields, [name]: value };
      if (name === 'adapter') fields.lr = String(value === 'lora' ? LORA_LR : DEFAULTS.lr);
      store.setState({ form: { ...form, fields } });
    },
  };
}

export type Probe = ReturnType<typeof createProbe>;

/** Empty if no probes are published. Throws FormatError for damaged or missing files, and errors of fetch. */
export async function loadPublishedProbes(base: string, get?: Fetch): Promise<ProbeSeries[]> {
  const files = publishedFiles(base, get);
  const pathOf = (name: string) => `results/probe/${name}`;
  const index = await files.text(pathOf(PROBE_INDEX));
  const names = index === null ? [] : readProbeIndex(index, pathOf(PROBE_INDEX));
  return Promise.all(names.map(async (name) => readSeries(await readExisting(pathOf(name), files.text), pathOf(name))));
}
