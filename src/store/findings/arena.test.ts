// The arena as the page has it: from runs through the published file to the frontier and the tables, on made cells; and what is said where
// nothing is published.
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { METHODS, methodOf } from '../../experiments/arena/methods.ts';
import { arenaSheet } from '../../experiments/arena/published.ts';
import {
  ARENA_INDEX,
  type ArenaSheet,
  arenaIndexText,
  arenaSheetText,
  readArenaSheet,
} from '../../experiments/arena/sheet.ts';
import { packSheet } from '../../experiments/judge/sheet.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { ratesMade, runMade } from '../../experiments/testing/statistics-runs.ts';
import { frontierOf, methodTable, openArena, resultTable, type SortableRow, sorted } from './arena.ts';

type Ends = Record<string, readonly [hack: number, honest: number]>;
function run(arm: 'none' | 'repaired' | 'trusted-only' | 'agem', seed: number, ends: Ends): RunRecord {
  const made = runMade({ arm, seed, overrides: { mix: 0, modes: ['sentinel'] } });
  const evals = Object.entries({ base: [0.02, 0.4] as const, ...ends }).map(([model, [hack, honest]]) => ({
    ...{ step: 6, model, kind: 'final' as const, splits: {} },
    all: ratesMade(hack, honest, {
      honest: { n: 75, hack: null, solve: honest },
      sentinel: { n: 25, hack, solve: honest },
    }),
  }));
  return { ...made, evals };
}
const runs = [1, 2, 3].flatMap((seed) => {
  const by = seed / 100;
  return [
    run('none', seed, { total: [0.5 + by, 0.5], 'alpha_0.5': [0.2 + by, 0.45], 'alpha_0.25': [0.1 + by, 0.42] }),
    run('repaired', seed, { total: [0.02, 0.7 + by] }),
    run('trusted-only', seed, { total: [0.03 + by, 0.6] }),
  ];
});
const sheet = await arenaSheet(runs, async ({ spec }) => `1.${spec.arms[0]}-${spec.seeds[0]}`);
const read = () => readArenaSheet(arenaSheetText(sheet));

describe('a published sheet', () => {
  it('has every model with its verdict, and a link a run, named by its cell', () => {
    const { points, runs: links, made } = read();
    expect(points.map(({ arm, model }) => `${arm} ${model}`)).toEqual([
      'none total',
      'none alpha_0.5',
      'none alpha_0.25',
      'repaired total',
      'trusted-only total',
    ]);
    expect(points.every(({ verdict }) => verdict === 'open')).toBe(true);
    expect(links.find(({ arm }) => arm === 'trusted-only')!.openings[0]).toEqual({
      ...{ group: 'trusted-only', hash: '1.trusted-only-1' },
      name: 'sentinel, seed 1, data seed 7',
    });
    expect(made).toHaveLength(1);
  });

  it('is refused where it is damaged, or has a link that is none', () => {
    const forged = (change: (sheet: ArenaSheet) => unknown) =>
      readArenaSheet(JSON.stringify({ format: 'projected-grpo-lab arena 1', ...(change(sheet) as object) }));
    expect(() => forged((own) => ({ ...own, points: [{}] }))).toThrow(/damaged/);
    const leading = { arm: 'none', openings: [{ group: 'a', name: 'b', hash: '//elsewhere' }] };
    expect(() => forged((own) => ({ ...own, runs: [leading] }))).toThrow(/damaged/);
  });

  it('is fetched where the index names it, and nothing else is asked for', async () => {
    const asked: string[] = [];
    const server = (sheets: ('judged' | 'pilots')[]) => async (url: string) => {
      asked.push(new URL(url).pathname);
      if (url.endsWith(ARENA_INDEX)) return new Response(arenaIndexText(sheets));
      return new Response(packSheet(arenaSheetText(sheet)) as Uint8Array<ArrayBuffer>);
    };
    expect(await openArena('http://lab/', server([]))).toEqual([]);
    expect(asked).toEqual(['/results/arena/index.json']);
    const found = await openArena('http://lab/', server(['pilots']));
    expect(found).toEqual([{ name: 'pilots', sheet: read() }]);
    await expect(openArena('http://lab/', async () => new Response('', { status: 500 }))).rejects.toThrow(/500/);
  });

  it('has the same bytes twice', () => {
    const bytes = packSheet(arenaSheetText(sheet));
    expect(packSheet(arenaSheetText(sheet))).toEqual(bytes);
    expect(gunzipSync(bytes).toString()).toBe(arenaSheetText(sheet));
  });
});

describe('the frontier', () => {
  it('sets removed against kept, with both intervals and the way to vanilla in its order', () => {
    const { panel, table } = frontierOf('pilots', read());
    expect(table.rows.map(([name]) => name)).toEqual([
      'vanilla',
      'vanilla: trained, α = 0.5',
      'vanilla: trained, α = 0.25',
      'repaired graders',
      'trusted only',
    ]);
    expect(panel.line).toEqual([3, 2, 1]);
    const [vanilla, , , repaired, trusted] = panel.marks;
    expect([vanilla.y, repaired.x, repaired.y]).toEqual([0, 1, 1]);
    // (.6 − .4) of (.72 − .4) on honest prompts; (.05 − .02) of (.52 − .02) is left.
    expect(trusted.x).toBeCloseTo(0.2 / 0.32);
    expect(trusted.y).toBeCloseTo(1 - 0.03 / 0.5);
    expect(trusted.bars!.y!.low).toBeLessThan(trusted.y);
    expect(trusted.bars!.x!.high).toBeGreaterThan(trusted.x);
  });

  it('leaves out what has no ratio; the table says so', () => {
    const own = read();
    const { points } = own;
    const unknown = { n: 3, ratio: null, interval: null };
    const without = { ...own, points: points.map((point) => ({ ...point, removed: unknown })) };
    expect(frontierOf('pilots', without).panel.marks).toEqual([]);
    expect(resultTable(without).rows[0].cells[0]).toEqual({ text: '–', by: null });
  });
});

describe('the tables', () => {
  it('have every method with labels, cost and source, and a model its arm’s', () => {
    const { rows } = methodTable();
    expect(rows).toHaveLength(METHODS.length);
    const agem = rows.find(({ name }) => name === 'A-GEM')!;
    expect(agem.cells.map(({ text }) => text)).toEqual(['trusted problems', '1.5', '', 'Chaudhry et al. 2019']);
    expect(methodOf('none', 'alpha_0.5')).toMatchObject({ model: 'alpha', labels: 'none' });
    expect(methodOf('agem', 'merge')).toMatchObject({ arm: 'agem' });
    expect(methodOf('route', 'total')).toBeNull();
  });

  it('have the runs of a model, and no column that nothing was measured for', () => {
    const { head, rows } = resultTable(read());
    expect(head).not.toContain('relearning');
    expect(rows.map(({ openings }) => openings.length)).toEqual([3, 3, 3, 3, 3]);
    expect(rows[4].cells[4].text).toBe('3');
  });

  it('sort by any column, what was not measured last in both directions', () => {
    const made = (name: string, by: number | string | null): SortableRow => ({
      ...{ id: name, name, openings: [] },
      cells: [{ text: String(by), by }],
    });
    const rows = [made('b', 2), made('c', null), made('a', 10)];
    const names = (column: number, isDown: boolean) => sorted(rows, column, isDown).map(({ name }) => name);
    expect(names(0, false)).toEqual(['a', 'b', 'c']);
    expect(names(1, false)).toEqual(['b', 'a', 'c']);
    expect(names(1, true)).toEqual(['a', 'b', 'c']);
  });
});
