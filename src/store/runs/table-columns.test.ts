import { describe, expect, it } from 'vitest';
import type { TableRow } from '../../experiments/records/events.ts';
import { chosenColumns, keepColumns, tableColumns } from './table-columns.ts';

const cell = (mean: number) => ({ mean, sd: null });
const row = (changes: Partial<TableRow>): TableRow => ({
  label: '',
  arm: 'none',
  model: 'total',
  n: 1,
  trained: { hack: cell(0.5), solve: cell(0.4) },
  deployed: {},
  last5: { hack: cell(0.45), solve: cell(0.41) },
  delta: {},
  cinTeacher: null,
  coutUpdate: null,
  verdict: '',
  ...changes,
});
const routed = row({
  arm: 'route-update',
  model: 'deployed',
  deployed: { hack: cell(0.1), solve: cell(0.6) },
  delta: { hack: cell(-0.4), solve: cell(0.2) },
});

describe('the columns of the result table', () => {
  const defaultColumns = (table: TableRow[], environment = 'one-line-python') =>
    tableColumns(environment, table).filter(({ isDefault }) => isDefault);

  it('are by default each final figure and the judged difference, for the deployed model if it differs', () => {
    const columns = defaultColumns([row({}), routed]);
    expect(columns.map(({ name }) => name)).toEqual(['hack', 'solve', 'Δ hack']);
    expect(columns.map(({ cell: of }) => of(routed))).toEqual([cell(0.1), cell(0.6), cell(-0.4)]);
    expect(columns.map(({ cell: of }) => of(row({})))).toEqual([cell(0.5), cell(0.4), null]);
  });

  it('omit columns without any value, and duplicates', () => {
    const ids = (table: TableRow[]) => tableColumns('one-line-python', table).map(({ id }) => id);
    expect(ids([row({})])).toEqual(['final:hack', 'final:solve', 'n', 'last5:hack', 'last5:solve']);
    expect(ids([row({}), routed])).toEqual(expect.arrayContaining(['trained:hack', 'deployed:hack', 'delta:solve']));
    const all = ids([row({ cinTeacher: 0.3, coutUpdate: 0.1 }), routed]);
    expect(new Set(all).size).toBe(all.length);
    expect(defaultColumns([row({ trained: { solve: cell(1) } })], 'lookup').map(({ name }) => name)).toEqual(['solve']);
  });

  it('are stored, and a damaged stored choice is ignored', () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    };
    expect(chosenColumns(storage)).toBeNull();
    keepColumns(storage, ['n', 'final:hack']);
    expect(chosenColumns(storage)).toEqual(new Set(['n', 'final:hack']));
    keepColumns(storage, null);
    expect(chosenColumns(storage)).toBeNull();
    for (const bad of ['{', '7', `${'['.repeat(999)}`]) {
      storage.setItem('result-columns', bad);
      expect(chosenColumns(storage)).toBeNull();
    }
    expect(chosenColumns(null)).toBeNull();
  });
});
