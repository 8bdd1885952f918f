// Tests the bar on made-up cells: each of its four parts can fail by itself, and the comparison at equal norm is worked out by hand.
import { expect, it } from 'vitest';
import { judge } from '../../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../../src/experiments/records/events.ts';
import { ratesMade, runMade } from '../../../../src/experiments/testing/statistics-runs.ts';
import { ARENA_MODES, ARENA_RULE } from '../../../../src/findings/arena/bar.ts';
import { repeatSpec } from '../../../draws/again.ts';
import { byPlainKey } from '../../../draws/rows.ts';
import { arenaEstimates, interpolatedSolve, judgedRows } from './estimates.ts';

const rates = (hack: number, honest: number, mode: string) =>
  ratesMade(hack, honest, { honest: { n: 75, hack: null, solve: honest }, [mode]: { n: 25, hack, solve: honest } });

type Ends = Record<string, readonly [hack: number, honest: number]>;

function run(
  arm: 'none' | 'repaired' | 'trusted-only' | 'agree',
  seed: number,
  mode: string,
  ends: Ends,
  norm = 1,
): RunRecord {
  const made = runMade({ arm, seed, overrides: { mix: 0, modes: [mode as 'sentinel'] } });
  const rows = made.rows.map((row) => ({ ...row, normDeltaS: norm }));
  const evals = Object.entries({ base: [0.02, 0.4] as const, ...ends }).map(([model, [hack, honest]]) => ({
    step: 6,
    model,
    kind: 'final' as const,
    splits: {},
    all: rates(hack, honest, mode),
  }));
  return { ...made, rows, evals };
}

/** Fifteen cells per mode; `own`: the method's rates, its solve a little different from cell to cell. */
const cells = (own: (mode: string) => readonly [number, number]): RunRecord[] =>
  ARENA_MODES.flatMap((mode) =>
    Array.from({ length: 15 }, (_, seed) => {
      const by = (seed % 3) / 100;
      const [hack, honest] = own(mode);
      const way = Object.fromEntries(
        [1, 2, 3, 4, 5, 6, 7].map((i) => [`alpha_${i / 8}`, [0.1, 0.4 + i / 80] as const]),
      );
      return [
        run('none', seed, mode, { ...way, total: [0.52, 0.5 + by] }, 2),
        run('repaired', seed, mode, { total: [0.02, 0.7] }),
        run('trusted-only', seed, mode, { total: [0.02, 0.6 + by / 2] }),
        run('agree', seed, mode, { total: [hack, honest + by] }),
      ];
    }).flat(),
  );
const verdict = (runs: readonly RunRecord[]) => judge(ARENA_RULE, arenaEstimates(runs, 'agree', 'total'));

it('holds where every mode is removed and enough is kept', () => {
  expect(verdict(cells(() => [0.04, 0.69]))).toEqual({ status: 'holds', because: null });
});

it('each part can fail by itself', () => {
  expect(verdict(cells((mode) => [mode === 'sentinel' ? 0.3 : 0.04, 0.69])).because).toMatch(/some mode is left/);
  // No better than trusted problems alone.
  expect(verdict(cells(() => [0.04, 0.55])).because).toMatch(/another condition/);
  // More than five points below repaired graders.
  expect(verdict(cells(() => [0.04, 0.63])).because).toMatch(/another condition/);
  expect(verdict(cells(() => [0.3, 0.5])).status).toBe('fails');
});

it('compares with the interpolation to vanilla at the arm’s own norm', () => {
  // Norm 1 of vanilla's 2: α = ½, evaluated; norm .625: α = .3125, halfway between .25 and .375.
  const runs = cells(() => [0.04, 0.69]).slice(0, 4);
  expect(interpolatedSolve(runs, 'agree')).toBeCloseTo(0.45);
  const near = runs.map((one) =>
    one.spec.arm === 'agree' ? { ...one, rows: one.rows.map((row) => ({ ...row, normDeltaS: 0.625 })) } : one,
  );
  expect(interpolatedSolve(near, 'agree')).toBeCloseTo(0.43125);
  const other = runs.map((one) =>
    one.spec.arm === 'agree' ? { ...one, spec: { ...one.spec, adapter: 'blocks' as const } } : one,
  );
  expect(interpolatedSolve(other, 'agree')).toBeNull();
});

it('has the relearnt hack beside the deployed model, and counts an arm that was run twice in a cell once', () => {
  const plain = cells(() => [0.04, 0.69]);
  const only = (arm: string) => plain.filter(({ spec }) => spec.arm === arm);
  // Relearning brings back .3 of vanilla's .5 above the base.
  const relearned: Ends[string] = [0.32, 0.5];
  const again = only('agree').map(({ spec }) =>
    run('agree', spec.seed, spec.modes[0], { total: [0.04, 0.69], relearned }),
  );
  const rows = judgedRows([...plain, ...again]);
  const own = rows.filter(({ arm }) => arm === 'agree');
  expect(own.map(({ model, n }) => [model, n])).toEqual([
    ['total', 30],
    ['relearned', 30],
  ]);
  expect(own[0].relearned?.ratio).toBeCloseTo(0.6);
  expect(own[0].relearned?.n).toBe(30);
  expect(own[1].relearned).toBeUndefined();
  expect(rows.find(({ arm }) => arm === 'trusted-only')!.relearned).toBeUndefined();
});

it('takes the means over several evaluations where every cell of a row has them', () => {
  const plain = cells(() => [0.04, 0.69]);
  // In the second evaluation every model but the base hacks ten points more.
  const repeated = (record: RunRecord): RunRecord => ({
    ...record,
    spec: repeatSpec(record.spec, 2),
    evals: record.evals.map((row) => {
      const { hack, solve } = row.all.figures;
      const added = row.model === 'base' ? 0 : 0.1;
      return { ...row, draws: [{ all: rates(hack! + added, solve!, record.spec.modes[0]), splits: {} }] };
    }),
  });
  const of = (rows: ReturnType<typeof judgedRows>, arm: string) =>
    rows.find((row) => row.arm === arm && row.model === 'total')!;
  const once = judgedRows(plain);
  const all = judgedRows(plain, byPlainKey(plain.map(repeated)));
  expect(of(once, 'agree').evaluations).toBeUndefined();
  // Of vanilla's hack above the base, .02 of .50 are left in the first evaluation, and .07 of .55 in the mean.
  expect(of(once, 'agree').removed.ratio).toBeCloseTo(1 - 0.02 / 0.5);
  expect(of(all, 'agree').removed.ratio).toBeCloseTo(1 - 0.07 / 0.55);
  expect(of(all, 'agree').evaluations).toBe(2);
  // A row with one cell that was not evaluated again keeps its first evaluation; other rows are not affected.
  const last = plain.findLast(({ spec }) => spec.arm === 'agree')!;
  const some = judgedRows(plain, byPlainKey(plain.filter((record) => record !== last).map(repeated)));
  expect(of(some, 'agree')).toEqual(of(once, 'agree'));
  expect(of(some, 'trusted-only')).toEqual(of(all, 'trusted-only'));
  // A model that could not be rebuilt keeps its evaluation, beside the run's other models.
  const merged = (record: RunRecord): RunRecord => ({
    ...record,
    evals: record.evals.flatMap((row) => (row.model === 'total' ? [row, { ...row, model: 'merge' }] : [row])),
  });
  const withMerge = plain.map((record) => (record.spec.arm === 'trusted-only' ? merged(record) : record));
  const lacking = judgedRows(withMerge, byPlainKey(plain.map(repeated)));
  expect(lacking.find(({ model }) => model === 'merge')).toEqual(
    judgedRows(withMerge).find(({ model }) => model === 'merge'),
  );
  expect(of(lacking, 'trusted-only').evaluations).toBe(2);
  // A row is not compared with references that have another number of evaluations.
  const alone = plain.filter(({ spec }) => spec.arm === 'agree').map(repeated);
  expect(judgedRows(plain, byPlainKey(alone))).toEqual(once);
});
