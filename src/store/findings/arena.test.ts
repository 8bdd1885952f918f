// Tests the arena on the page, from runs through the published file to the tables, with synthetic cells, and the text that is shown if
// nothing is published.
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { methodOf } from '../../experiments/analysis/methods.ts';
import { ARMS } from '../../experiments/config/arms.ts';
import { frontierOf, ranked } from '../../findings/arena/frontier.ts';
import {
  ARENA_INDEX,
  type ArenaSheet,
  arenaIndexText,
  arenaSheetText,
  readArenaSheet,
} from '../../findings/arena/sheet.ts';
import { allSheet, fewSheet } from '../../findings/testing/arena-sheets.ts';
import { gzipText } from '../../lib/inflate.ts';
import { ARENA_COLUMNS, frontierCsv, openArena, resultTable, type SortableRow, sorted, winnersFirst } from './arena.ts';

const sheet = fewSheet();
const read = () => readArenaSheet(arenaSheetText(sheet));

describe('a published sheet', () => {
  it('has every model with its verdict, and one link per run, named by its cell', () => {
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
      group: 'trusted-only',
      hash: '1.trusted-only-1',
      name: 'sentinel, seed 1, data seed 7',
    });
    expect(made).toHaveLength(1);
  });

  it('is refused if it is damaged or has an invalid link', () => {
    const forged = (change: (sheet: ArenaSheet) => unknown) =>
      readArenaSheet(JSON.stringify({ format: 'projected-grpo-lab arena 1', ...(change(sheet) as object) }));
    expect(() => forged((own) => ({ ...own, points: [{}] }))).toThrow(/damaged/);
    const leading = { arm: 'none', openings: [{ group: 'a', name: 'b', hash: '//elsewhere' }] };
    expect(() => forged((own) => ({ ...own, runs: [leading] }))).toThrow(/damaged/);
  });

  it('is fetched if the index names it, and nothing else is requested', async () => {
    const asked: string[] = [];
    const server = (sheets: ('judged' | 'pilots')[]) => async (url: string) => {
      asked.push(new URL(url).pathname);
      if (url.endsWith(ARENA_INDEX)) return new Response(arenaIndexText(sheets));
      return new Response(gzipText(arenaSheetText(sheet)));
    };
    expect(await openArena('http://lab/', server([]))).toEqual([]);
    expect(asked).toEqual(['/results/arena/index.json']);
    const found = await openArena('http://lab/', server(['pilots']));
    expect(found).toEqual([{ name: 'pilots', sheet: read() }]);
    for (const status of [200, 404]) {
      const none = new Response('', { status, headers: { 'content-type': 'text/html' } });
      expect(await openArena('http://lab/', async () => none)).toEqual([]);
    }
    await expect(openArena('http://lab/', async () => new Response('', { status: 500 }))).rejects.toThrow(/500/);
  });

  it('has the same bytes when written twice', () => {
    const bytes = gzipText(arenaSheetText(sheet));
    expect(gzipText(arenaSheetText(sheet))).toEqual(bytes);
    expect(gunzipSync(bytes).toString()).toBe(arenaSheetText(sheet));
  });
});

it('shows a dash for a model without a ratio, and lists it last', () => {
  const { points, ...own } = read();
  const unknown = { n: 3, ratio: null, interval: null };
  const without = { ...own, points: points.map((point) => ({ ...point, removed: unknown })) };
  expect(resultTable({ name: 'pilots', sheet: without }).rows[0].cells[0]).toEqual({ text: '–', by: null });
});

it('can be saved as drawn: one line per mark, with its intervals', () => {
  const lines = frontierCsv(frontierOf(read())).trim().split('\r\n');
  expect(lines).toHaveLength(1 + 6);
  expect(lines.at(-1)).toMatch(/^trusted only,method,trusted,3,1,0\.62/);
});

describe('the tables', () => {
  it('show a method’s labels, cost and source, and a model’s arm, with the best method first', () => {
    const sheet = allSheet();
    const { head, rows } = winnersFirst(resultTable({ name: 'pilots', sheet }), frontierOf(sheet));
    const best = ranked(frontierOf(sheet));
    expect(rows.slice(0, best.length).map(({ id }) => id)).toEqual(best.map(({ id }) => id));
    expect(rows).toHaveLength(sheet.points.length);
    const agem = rows.find(({ name }) => name === 'A-GEM')!;
    expect(agem.about).toBe(ARMS.agem.description);
    expect(agem.cells.slice(head.indexOf('labels needed') - 1).map(({ text }) => text)).toEqual([
      ...['trusted problems', '1.5', 'two gradients', '', 'Chaudhry et al. 2019'],
    ]);
    for (const column of ARENA_COLUMNS.slice(0, -1)) expect(head).toContain(column);
    expect(methodOf('none', 'alpha_0.5')).toMatchObject({ model: 'alpha', labels: 'none' });
    expect(methodOf('agem', 'merge')).toMatchObject({ arm: 'agem' });
    expect(methodOf('trusted-only', 'merge')).toMatchObject({ cost: 2, family: 'after training' });
    expect(methodOf('honest-only', 'total')).toBeNull();
  });

  it('show the runs of a model, and no column without any measurement', () => {
    const { head, rows } = resultTable({ name: 'judged', sheet: read() });
    expect(head.at(-1)).toBe('bar');
    expect(head.join()).not.toContain('relearnt');
    expect(resultTable({ name: 'narrow', sheet: read() }).head).toEqual(head.slice(0, -1));
    expect(rows.map(({ openings }) => openings.length)).toEqual([3, 3, 3, 3, 3]);
    expect(rows[4].cells[4].text).toBe('3');
    const byFamily = sorted(rows, head.indexOf('family'), false);
    expect(byFamily.map(({ name }) => name)).toEqual([
      ...['vanilla', 'repaired graders', 'trusted only'],
      ...['vanilla: trained, α = 0.5', 'vanilla: trained, α = 0.25'],
    ]);
  });

  it('report relearning from the cells that measured it, if these are among the sheet’s own', () => {
    const { points, ...own } = read();
    const relearned = { n: 3, ratio: 0.4, interval: { low: 0.1, high: 0.9 } };
    const asked = {
      ...own,
      points: points.map((point) => (point.arm === 'repaired' ? { ...point, relearned } : point)),
    };
    const all = [
      { name: 'judged', sheet: read() },
      { name: 'relearning', sheet: asked },
    ] as const;
    const { head, rows } = resultTable(all[0], all);
    const column = head.indexOf('hack relearnt, % (3 cells)');
    expect(rows.map(({ cells }) => cells[column - 1].text)).toEqual(['–', '–', '–', '40 [10, 90]', '–']);
    expect(sorted(rows, column, true)[0].name).toBe('repaired graders');
    expect(resultTable(all[1], all).head).toContain('hack relearnt after 20 steps, %');
    expect(resultTable({ name: 'narrow', sheet: read() }, all).head.join()).not.toContain('relearnt');
  });

  it('sort by any column, with missing values last in both directions', () => {
    const made = (name: string, by: number | string | null): SortableRow => ({
      id: name,
      name,
      openings: [],
      cells: [{ text: String(by), by }],
    });
    const rows = [made('b', 2), made('c', null), made('a', 10)];
    const names = (column: number, isDown: boolean) => sorted(rows, column, isDown).map(({ name }) => name);
    expect(names(0, false)).toEqual(['a', 'b', 'c']);
    expect(names(1, false)).toEqual(['b', 'a', 'c']);
    expect(names(1, true)).toEqual(['a', 'b', 'c']);
  });
});
