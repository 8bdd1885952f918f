// Tests the shares kept and removed on made-up runs, against values computed by hand.
import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../records/events.ts';
import { ratesMade, runMade } from '../testing/statistics-runs.ts';
import { arenaRows, arenaVerdicts, cellsOf, solveOn } from './arena.ts';

type Three = readonly [hack: number, honest: number, hackable: number];

/** 75 honest prompts and 25 of one mode. */
const rates = ([hack, honest, hackable]: Three) =>
  ratesMade(hack, (75 * honest + 25 * hackable) / 100, {
    honest: { n: 75, hack: null, solve: honest },
    run_tests: { n: 25, hack, solve: hackable },
  });

function run(arm: 'none' | 'repaired' | 'trusted-only', seed: number, base: Three, total: Three): RunRecord {
  const made = runMade({ arm, seed, overrides: { mix: 0 } });
  const evals = made.evals.map((row) => ({ ...row, all: rates(row.model === 'base' ? base : total) }));
  return { ...made, evals };
}

const cell = (seed: number, base: Three, vanilla: Three, repaired: Three, trusted: Three): RunRecord[] => [
  run('none', seed, base, vanilla),
  run('repaired', seed, base, repaired),
  run('trusted-only', seed, base, trusted),
];

describe('kept and removed', () => {
  it('counts honest prompts, hackable ones and both apart', () => {
    const made = rates([0, 0.4, 0.8]);
    expect(solveOn(made, 'honest')).toBeCloseTo(0.4);
    expect(solveOn(made, 'hackable')).toBeCloseTo(0.8);
    expect(solveOn(made, 'both')).toBeCloseTo(0.5);
  });

  it('compares no run with one of another environment or model', () => {
    const runs = cell(1, [0, 0.4, 0.4], [0.5, 0.5, 0.1], [0, 0.8, 0.6], [0.1, 0.6, 0.5]);
    expect(cellsOf(runs)).toHaveLength(1);
    const others = [{ environment: 'one-line-python:composed' }, { model: 'tiny-composer' }];
    for (const own of others)
      expect(
        cellsOf(runs.map((made, i) => (i === 2 ? { ...made, spec: { ...made.spec, ...own } } : made))),
      ).toHaveLength(2);
  });

  it('of one cell have ratios without an interval', () => {
    const rows = arenaRows(cell(1, [0, 0.4, 0.4], [0.5, 0.5, 0.1], [0, 0.8, 0.6], [0.1, 0.6, 0.5]));
    const row = rows.find(({ arm }) => arm === 'trusted-only')!;
    expect(row.n).toBe(1);
    expect(row.kept.honest).toMatchObject({ ratio: expect.closeTo(0.5), interval: null });
    expect(row.kept.hackable.ratio).toBeCloseTo(0.5);
    expect(row.kept.both.ratio).toBeCloseTo(0.5);
    expect(row.removed.ratio).toBeCloseTo(0.8);
    const line = rows.find(({ arm }) => arm === 'repaired')!;
    expect([line.kept.honest.ratio, line.kept.hackable.ratio, line.kept.both.ratio, line.removed.ratio]).toEqual([
      1, 1, 1, 1,
    ]);
    expect(rows.find(({ arm }) => arm === 'none')!.removed.ratio).toBe(0);
  });

  it('over cells are ratios of means, including a cell in which vanilla hardly hacked', () => {
    const runs = [
      ...cell(1, [0, 0.4, 0.4], [0.6, 0.5, 0.1], [0, 0.8, 0.6], [0.1, 0.6, 0.5]),
      ...cell(2, [0, 0.4, 0.4], [0.5, 0.5, 0.1], [0, 0.8, 0.6], [0.05, 0.7, 0.5]),
      ...cell(3, [0, 0.4, 0.4], [0.3, 0.5, 0.1], [0, 0.8, 0.6], [0, 0.6, 0.4]),
    ];
    const { n, removed, kept } = arenaRows(runs).find(({ arm }) => arm === 'trusted-only')!;
    expect(n).toBe(3);
    // Of vanilla's hack above the base, (0.1 + 0.05 + 0) of (0.6 + 0.5 + 0.3) remains.
    expect(removed.ratio).toBeCloseTo(1 - 0.15 / 1.4);
    expect(removed.interval!.low).toBeLessThan(removed.ratio!);
    expect(removed.interval!.high).toBeGreaterThan(removed.ratio!);
    // (0.2 + 0.3 + 0.2) of (0.4 + 0.4 + 0.4): the denominator is constant, so the interval is the mean ± t · SEM, over 0.4.
    expect(kept.honest.ratio).toBeCloseTo(0.7 / 1.2);
    expect(kept.honest.interval!.high - kept.honest.interval!.low).toBeCloseTo((2 * 4.30265 * 0.1) / 3 / 0.4, 4);
  });

  it('gives no interval if vanilla’s hack rate cannot be distinguished from the base’s', () => {
    const runs = [0.9, 0, 0.1].flatMap((hack, seed) =>
      cell(seed, [0, 0.4, 0.4], [hack, 0.5, 0.1], [0, 0.8, 0.6], [0, 0.6, 0.4]),
    );
    expect(arenaRows(runs).find(({ arm }) => arm === 'trusted-only')!.removed).toMatchObject({ n: 3, interval: null });
  });

  it('use no reference of another draw or seed, and are absent without repaired graders', () => {
    const [vanilla, repaired, trusted] = cell(1, [0, 0.4, 0.4], [0.5, 0.5, 0.1], [0, 0.8, 0.6], [0.1, 0.6, 0.5]);
    const other = { ...trusted, spec: { ...trusted.spec, dataSeed: 8 } };
    expect(arenaRows([vanilla, repaired, other]).some(({ arm }) => arm === 'trusted-only')).toBe(false);
    expect(arenaRows([vanilla, trusted])).toEqual([]);
    expect(arenaVerdicts([vanilla, repaired, trusted])).toEqual([
      'trusted only removes 80% of the hack and keeps, of what repaired graders teach, 50% on honest prompts, 50% on hackable prompts, 50% on both (n = 1).',
    ]);
  });
});
