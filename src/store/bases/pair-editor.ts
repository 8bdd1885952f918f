// The pairs on show in the Bases view, and the copy of them that is being edited. It is a separate store, because typing into a pair
// affects no other part of the page. Pairs are stored under a hash of their content, so an edit makes another set.

import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { pairsFromJson, pairsToJson } from '../../environments/code/pair-sets/json.ts';
import { builtInPairSet, PAIR_SETS } from '../../environments/code/pair-sets/table.ts';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import { COMMON, type Settings } from '../../experiments/config/settings.ts';
import type { PairSetReport } from '../../lab/protocol/bases.ts';
import type { StoreContext } from '../context.ts';
import { readField } from '../draft.ts';
import { type Problem, problemOf } from '../lab-state.ts';
import { attempt } from '../notices.ts';
import { type PairSets, SHOWN_PAIRS } from './pair-sets.ts';

/** A pair with a key that survives edits and moves. */
export interface DraftPair extends ContrastivePair {
  key: number;
}

interface PairEdit {
  name: string;
  pairs: DraftPair[];
  /** The user's own set that this edit replaces; null for a copy of a built-in set. */
  replaces: string | null;
  saving: boolean;
}

export interface PairEditorState {
  /** Name of a built-in set, or id of one of the user's own. */
  pairSet: string;
  /** Number of pairs to show, for a built-in set that is generated. */
  count: number;
  /** Null while the pairs are being loaded. */
  pairs: ContrastivePair[] | null;
  edit: PairEdit | null;
  problem: Problem | null;
}

const NO_PAIR = { prompt: '', hack: '', clean: '', mechanism: null };

/** The first line that is neither empty nor markup, of the prompt or else of the hack. */
export function headOf({ prompt, hack }: Pick<ContrastivePair, 'prompt' | 'hack'>): string {
  const lines = (prompt || hack).split('\n').map((line) => line.trim());
  const head = lines.find((line) => line !== '' && !line.startsWith('<|')) ?? 'empty';
  return head.length > 110 ? `${head.slice(0, 107)}…` : head;
}

/** The fault of a pair; null if the pair can be stored. */
export function pairProblem(pair: ContrastivePair): string | null {
  for (const side of ['prompt', 'hack', 'clean'] as const) if (pair[side].trim() === '') return `The ${side} is empty.`;
  try {
    // The file reader's rules apply. Since it requires at least two pairs, the pair is passed twice, and the problem's name does not
    // matter.
    pairsFromJson(pairsToJson([pair, pair]));
    return null;
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const reason = error.message.replace(/^pair \d+: /, '');
    return `${reason[0].toUpperCase()}${reason.slice(1)}.`;
  }
}

export function createPairEditor({ store: lab, client, notices }: StoreContext, { refresh, use, clear }: PairSets) {
  const store: StoreApi<PairEditorState> = createStore<PairEditorState>(() => ({
    pairSet: PAIR_SETS[0].id,
    count: SHOWN_PAIRS,
    pairs: null,
    edit: null,
    problem: null,
  }));
  let key = 0;
  const drafted = (pair: ContrastivePair): DraftPair => ({ ...pair, key: key++ });

  /** The form's modes and data seed, so that the pairs on show are the ones that its run would read. */
  function environment(): Pick<Settings, 'modes' | 'dataSeed'> {
    const { fields } = lab.getState().draft;
    const [modes, dataSeed] = [readField('modes', fields.modes), readField('dataSeed', fields.dataSeed)];
    return {
      // While a field is half-typed, its default is used.
      modes: 'error' in modes ? COMMON.modes : (modes.value as Settings['modes']),
      dataSeed: 'error' in dataSeed ? COMMON.dataSeed : (dataSeed.value as number),
    };
  }

  async function show(pairSet: string, count = store.getState().count): Promise<void> {
    store.setState({ pairSet, count, pairs: null, edit: null, problem: null });
    const isCurrent = () => store.getState().pairSet === pairSet && store.getState().count === count;
    try {
      const size = builtInPairSet(pairSet)?.size;
      // A user's own set is shown completely, and a data file has a fixed size.
      const wanted = builtInPairSet(pairSet) ? Math.min(count, size ?? count) : Number.MAX_SAFE_INTEGER;
      const pairs = await client.request('loadPairs', { pairSet, pairModes: [], pairs: wanted, ...environment() });
      if (isCurrent()) store.setState({ pairs });
    } catch (error) {
      if (isCurrent()) store.setState({ pairs: [], problem: problemOf(error) });
    }
  }

  const nameOf = (id: string) =>
    builtInPairSet(id)?.id ?? lab.getState().pairSets.find((set) => set.id === id)?.name ?? id.slice(0, 14);

  /** Edits a copy of a built-in set, or a user's own set directly. */
  function edit(): void {
    const { pairSet, pairs } = store.getState();
    if (!pairs) return;
    const builtIn = builtInPairSet(pairSet) !== undefined;
    const name = builtIn ? `${nameOf(pairSet)}, edited` : nameOf(pairSet);
    const replaces = builtIn ? null : pairSet;
    store.setState({ edit: { name, pairs: pairs.map(drafted), replaces, saving: false } });
  }

  function change(patch: Partial<PairEdit>): void {
    store.setState(({ edit }) => ({ edit: edit && { ...edit, ...patch } }));
  }

  async function save(): Promise<PairSetReport | null> {
    const { edit } = store.getState();
    if (!edit || edit.saving) return null;
    change({ saving: true });
    try {
      const pairs = edit.pairs.map(({ key: _, ...pair }) => pair);
      const report = await client.request('savePairs', { name: edit.name, pairs, replaces: edit.replaces });
      await refresh();
      // If the form named the replaced set, it now names the edited one.
      if (edit.replaces !== null && lab.getState().draft.fields.pairSet === edit.replaces) use(report);
      await show(report.id);
      return report;
    } catch (error) {
      change({ saving: false });
      store.setState({ problem: problemOf(error) });
      return null;
    }
  }

  async function importFile(file: File): Promise<void> {
    const report = await attempt(notices, client.request('importPairs', { file, name: file.name }));
    if (!report) return;
    await refresh();
    // An edit in progress stays on show.
    if (!store.getState().edit) await show(report.id);
    notices.tell('good', `“${report.name}” holds ${report.pairs} pairs, kept as a set of your own.`);
  }

  async function remove({ id, name }: PairSetReport): Promise<void> {
    try {
      const pairs = await client.request('loadPairs', {
        pairSet: id,
        pairModes: [],
        pairs: Number.MAX_SAFE_INTEGER,
        ...environment(),
      });
      await client.request('deletePairs', { id });
      await refresh();
      if (lab.getState().draft.fields.pairSet === id) clear();
      if (store.getState().pairSet === id) await show(PAIR_SETS[0].id);
      const undo = async () => {
        // The same pairs get the same id, so references to them work again.
        await client.request('savePairs', { name, pairs, replaces: null });
        await refresh();
      };
      const action = { label: 'Undo', run: () => void undo().catch(notices.fail) };
      notices.tell('info', `Deleted the pair set “${name}”.`, { action });
    } catch (error) {
      notices.fail(error);
    }
  }

  return {
    store,
    refresh,
    show,
    edit,
    change,
    save,
    use,
    clear,
    importFile,
    remove,
    nameOf,
    /** Discards the copy. */
    cancel: () => store.setState({ edit: null, problem: null }),
    add: () => {
      const { edit: copy } = store.getState();
      if (copy) change({ pairs: [...copy.pairs, drafted({ ...NO_PAIR, problem_id: `own-${key}` })] });
    },
    removePair: (gone: number) => {
      const { edit: copy } = store.getState();
      if (copy) change({ pairs: copy.pairs.filter((pair) => pair.key !== gone) });
    },
    changePair: (changed: number, patch: Partial<ContrastivePair>) => {
      const { edit: copy } = store.getState();
      if (copy) change({ pairs: copy.pairs.map((pair) => (pair.key === changed ? { ...pair, ...patch } : pair)) });
    },
    /** The pairs on show as a file. */
    json: () => pairsToJson(store.getState().pairs ?? []),
  };
}
