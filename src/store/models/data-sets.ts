// A third-party data set on the page: the chosen set, its first rows, which column is which field, and the rows as they will be read.
// Nothing is stored until the user confirms. This file is loaded separately, since most visits do not need it.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Preview } from '../../environments/datasets/convert.ts';
import type {
  ConvertedTable,
  TableConversion,
  TableReport,
  TableSource,
  TableTarget,
} from '../../lab/protocol/tables.ts';
import type { StoreContext } from '../context.ts';
import { type Problem, problemOf } from '../lab-state.ts';
import { attempt } from '../notices.ts';

export interface DataSetsState {
  source: TableSource | null;
  table: TableReport | null;
  target: TableTarget;
  /** Maps fields to columns. A field that is absent has no column. */
  map: Readonly<Record<string, string>>;
  check: TableConversion['check'];
  /** An incorrect check as JSON that is rewarded instead of the true one; empty for none. */
  flawed: string;
  dropNull: boolean;
  /** The first rows as they will be read; null while a required field has no column. */
  preview: Preview | null;
  /** Name of the running task; null if there is none. */
  work: string | null;
  problem: Problem | null;
}

const BEGIN: DataSetsState = {
  source: null,
  table: null,
  target: 'custom',
  map: {},
  check: 'number',
  flawed: '',
  dropNull: false,
  preview: null,
  work: null,
  problem: null,
};

/** Fields that use the column with their own name. */
function sameNames({ columns, targets }: TableReport, target: TableTarget): Record<string, string> {
  const names = targets[target].fields.map(({ name }) => name).filter((name) => columns.includes(name));
  return Object.fromEntries(names.map((name) => [name, name]));
}

/** Required fields without a column. */
export const missingIn = ({ table, target, map }: Pick<DataSetsState, 'table' | 'target' | 'map'>): string[] =>
  (table?.targets[target].fields ?? []).filter(({ name, isNeeded }) => isNeeded && !map[name]).map(({ name }) => name);

export function createDataSets({ client, notices }: StoreContext) {
  const store: StoreApi<DataSetsState> = createStore<DataSetsState>(() => BEGIN);
  const { getState: get, setState: set } = store;
  let count = 0;

  /** Null if it failed, was stopped, or was replaced by a newer task. */
  async function run<T>(ask: (task: string) => Promise<T>): Promise<T | null> {
    const earlier = get().work;
    if (earlier !== null) void attempt(notices, client.request('stopTask', { task: earlier }));
    const task = `table-${++count}`;
    set({ work: task, problem: null });
    try {
      const answer = await ask(task);
      return get().work === task ? answer : null;
    } catch (error) {
      if (get().work === task && !(error instanceof StoppedError)) set({ problem: problemOf(error) });
      return null;
    } finally {
      if (get().work === task) set({ work: null });
    }
  }

  async function preview(): Promise<void> {
    const { source, target, map } = get();
    set({ preview: null });
    if (source === null || missingIn(get()).length > 0) return;
    const shown = await run((task) => client.request('previewTable', { task, source, target, map }));
    if (shown) set({ preview: shown });
  }

  return {
    store,

    async open(source: TableSource): Promise<void> {
      set({ ...BEGIN, work: get().work, source });
      const table = await run((task) => client.request('readTable', { task, source }));
      if (!table) return;
      set({ table, map: sameNames(table, get().target) });
      await preview();
    },

    /** A file that was dropped elsewhere on the page. */
    async openDropped(file: File): Promise<void> {
      notices.tell('info', `${file.name} is open under Library, Data: choose there what its rows become.`);
      await this.open({ file, name: file.name });
    },

    async choose(target: TableTarget): Promise<void> {
      const { table } = get();
      set({ target, map: table ? sameNames(table, target) : {} });
      await preview();
    },

    /** @param column empty for none */
    async assign(field: string, column: string): Promise<void> {
      const map = Object.entries({ ...get().map, [field]: column }).filter(([, own]) => own !== '');
      set({ map: Object.fromEntries(map) });
      await preview();
    },

    change: (changes: Partial<Pick<DataSetsState, 'check' | 'flawed' | 'dropNull'>>): void => set(changes),

    /** All rows as a file; null if that failed, in which case the failure is shown. */
    convert(): Promise<ConvertedTable | null> {
      const { source, target, map, check, flawed, dropNull } = get();
      if (source === null) return Promise.resolve(null);
      const how = { target, map, check, flawed: flawed.trim() === '' ? null : flawed, dropNull };
      return run((task) => client.request('convertTable', { task, source, ...how }));
    },

    async stop(): Promise<void> {
      const { work } = get();
      if (work !== null) await attempt(notices, client.request('stopTask', { task: work }));
    },

    close: (): void => set({ ...BEGIN }),
  };
}
