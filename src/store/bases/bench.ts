// Work with bases in their own view: extracting one from a chosen pair set, inspecting it axis by axis, and comparing it with another. It
// is a separate store, because only that view reads it.

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { BasisLikeness } from '../../algorithms/basis-compare.ts';
import { builtInPairSet } from '../../environments/code/pair-sets/table.ts';
import { COMMON, settingText } from '../../experiments/config/settings.ts';
import type { BasisReport } from '../../lab/protocol/bases.ts';
import { type BasisAxes, EXTRACTION_SETTINGS, type ExtractionRequest } from '../../lab/protocol/bases.ts';
import type { StoreContext } from '../context.ts';
import { readField } from '../draft.ts';
import { type Problem, problemOf, unlessCancelled } from '../lab-state.ts';
import { createWorkerTask } from '../worker-task.ts';

export type ExtractionField = Exclude<
  (typeof EXTRACTION_SETTINGS)[number],
  'pairSet' | 'modes' | 'dataSeed' | 'adapter' | 'loraRank'
>;
/** Fields in the order of the form. */
export const EXTRACTION_FIELDS = [
  'k',
  'pairs',
  'nHeldout',
  'tauAxis',
  'basisKind',
  'basisLoss',
  'solveOrth',
  'pairModes',
] as const satisfies readonly ExtractionField[];

export interface BasisBenchState {
  /** The fields' texts as typed. */
  fields: Record<ExtractionField, string>;
  work: { task: string; done: number; total: number } | null;
  problem: Problem | null;
  /** Report of the basis that was last extracted in this view. */
  made: BasisReport | null;
  /** Id of the basis in the heat map; empty selects the newest. */
  shown: string;
  axes: BasisAxes | null;
  axesProblem: Problem | null;
  pick: { a: string; b: string; k: number };
  likeness: BasisLikeness | null;
  likenessProblem: Problem | null;
}

/** Errors of the typed settings, by field. */
export function checkExtraction(fields: BasisBenchState['fields']): Partial<Record<ExtractionField, string>> {
  return Object.fromEntries(
    EXTRACTION_FIELDS.flatMap((name) => {
      const read = readField(name, fields[name]);
      return 'error' in read ? [[name, read.error]] : [];
    }),
  );
}

export function createBasisBench(context: StoreContext, bases: { refresh(): Promise<void> }) {
  const { store: lab, client } = context;
  const store: StoreApi<BasisBenchState> = createStore<BasisBenchState>(() => ({
    fields: Object.fromEntries(EXTRACTION_FIELDS.map((name) => [name, settingText(COMMON[name])])) as Record<
      ExtractionField,
      string
    >,
    work: null,
    problem: null,
    made: null,
    shown: '',
    axes: null,
    axesProblem: null,
    pick: { a: '', b: '', k: COMMON.k },
    likeness: null,
    likenessProblem: null,
  }));
  const task = createWorkerTask(context, 'extraction', store);

  function settingsOf(pairSet: string): ExtractionRequest {
    const { fields } = store.getState();
    const environment = lab.getState().draft.fields;
    const { modes, dataSeed, adapter, loraRank } = environment;
    const text = { ...fields, modes, dataSeed, adapter, loraRank, pairSet };
    return Object.fromEntries(
      EXTRACTION_SETTINGS.map((name) => {
        const read = readField(name, text[name]);
        // The form's own settings may be half-typed. Then the defaults are used.
        return [name, 'error' in read ? COMMON[name] : read.value];
      }),
    ) as unknown as ExtractionRequest; // The cast is needed because readField returns each value with its name's type.
  }

  /** @param name name of the pair set, used in the title */
  async function extract(pairSet: string, name: string): Promise<void> {
    const settings = settingsOf(pairSet);
    const ask = async (task: string) => {
      store.setState({ problem: null, made: null });
      const report = await client.request('extractBasis', { task, settings, name: titleOf(settings, name) });
      context.undoableDelete.keep(`basis:${report.id}`);
      await bases.refresh();
      return report;
    };
    const made = await task.run({ done: 0, total: settings.pairs }, ask, (error) =>
      store.setState({ problem: unlessCancelled(error) }),
    );
    if (!made) return;
    store.setState({ made });
    await show(made.id);
  }

  async function show(id: string): Promise<void> {
    store.setState({ shown: id, axes: null, axesProblem: null });
    if (id === '') return;
    try {
      const axes = await client.request('basisAxes', { id });
      if (store.getState().shown === id) store.setState({ axes });
    } catch (error) {
      if (store.getState().shown === id) store.setState({ axesProblem: problemOf(error) });
    }
  }

  async function compare(pick: Partial<BasisBenchState['pick']>): Promise<void> {
    const picked = { ...store.getState().pick, ...pick };
    store.setState({ pick: picked, likeness: null, likenessProblem: null });
    if (picked.a === '' || picked.b === '') return;
    const isCurrent = () => store.getState().pick === picked;
    try {
      const likeness = await client.request('compareBases', picked);
      if (isCurrent()) store.setState({ likeness });
    } catch (error) {
      if (isCurrent()) store.setState({ likenessProblem: problemOf(error) });
    }
  }

  return {
    store,
    extract,
    cancel: () => task.stop(),
    show,
    compare,
    setField(name: ExtractionField, value: string): void {
      store.setState(({ fields }) => ({ fields: { ...fields, [name]: value } }));
    },
    forget: () => store.setState({ made: null, problem: null }),
    /** Selects the newest basis if none is shown, and removes deleted ones. */
    async follow(): Promise<void> {
      const { bases: kept } = lab.getState();
      const { shown, pick, made } = store.getState();
      const isKept = (id: string) => kept.some((report) => report.id === id);
      if (!isKept(shown)) await show(kept[0]?.id ?? '');
      if (made && !isKept(made.id)) store.setState({ made: null });
      const a = isKept(pick.a) ? pick.a : '';
      const b = isKept(pick.b) ? pick.b : '';
      if (a !== pick.a || b !== pick.b) await compare({ a, b });
    },
  };
}

/** A title that distinguishes two bases of a list: `mechanism, k 5, mean difference`. */
function titleOf(settings: ExtractionRequest, name: string): string {
  const { pairSet, k, basisKind, basisLoss, solveOrth, nHeldout, adapter, loraRank } = settings;
  return [
    builtInPairSet(pairSet)?.id ?? name,
    basisKind === 'mean_diff' ? 'mean difference' : `k ${k}`,
    basisLoss === 'grpo' ? 'grpo' : null,
    solveOrth > 0 ? `${solveOrth} solve axes stripped` : null,
    nHeldout > 0 ? `${nHeldout} held out` : null,
    adapter === 'lora' ? `LoRA ${loraRank}` : null,
  ]
    .filter((part) => part !== null)
    .join(', ');
}
