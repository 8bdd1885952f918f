// Tests, on made-up draws, the question on trusted problems that are not a random sample: each verdict, and which runs are paired.
import { describe, expect, it } from 'vitest';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { arenaRunMade } from '../../../src/experiments/testing/arena-runs.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { MERGING, mergingEstimates } from './merging.ts';
import { NARROW_DRAWS, NARROW_RULE, NARROW_TRUST, narrowCells, narrowEstimates } from './narrow.ts';

interface Solves {
  repaired?: number;
  merge?: number;
  mergeHacks?: number;
}

/** RL on trusted strings solves .46, with a small offset per draw, on trusted problems of any kind .55; vanilla solves .59 and hacks .52. */
const draws = (own: Solves = {}, count: number = NARROW_DRAWS.length): RunRecord[] =>
  NARROW_DRAWS.slice(0, count).flatMap((dataSeed, i) => {
    const { repaired = 0.62, merge = 0.51, mergeHacks = 0.03 } = own;
    const by = (i % 3) / 100;
    const made = (arm: Parameters<typeof arenaRunMade>[0], ends: Parameters<typeof arenaRunMade>[2]) =>
      arenaRunMade(arm, 51, ends, { dataSeed, trustedArguments: ['string'] });
    return [
      made('none', { total: [0.52, 0.59] }),
      made('repaired', { total: [0.02, repaired] }),
      made('trusted-only', { total: [0.02, 0.46 + by], merge: [mergeHacks, merge + 2 * by] }),
      made('curriculum', { total: [0.02, 0.5] }),
      arenaRunMade('trusted-only', 51, { total: [0.02, 0.55] }, { dataSeed }),
    ];
  });

const verdict = (runs: readonly RunRecord[]) => verdictText(judge(NARROW_RULE, narrowEstimates(runs)));

it('holds where the gap is ten points and merging closes some of it without the hack; each part can fail by itself', () => {
  expect(verdict(draws())).toBe('holds');
  expect(verdict(draws({ merge: 0.455 }))).toBe('in part: ten points short, merging is not shown to make up for it');
  // A tenth of what vanilla adds to the base's hack is .05.
  expect(verdict(draws({ mergeHacks: 0.08 }))).toMatch(/^in part: ten points short/);
  expect(verdict(draws({ repaired: 0.57 }))).toMatch(/^in part: merging helps/);
  expect(verdict(draws({ repaired: 0.5, merge: 0.455 }))).toBe('fails: less than ten points lack');
  expect(verdict(draws({}, 7))).toMatch(/^open: 7 of 7 draws; 8 are wanted/);
});

it('pairs within a draw, and keeps the two trainings on trusted problems apart', () => {
  const runs = draws();
  expect(narrowCells(runs).map((cell) => cell.length)).toEqual(NARROW_DRAWS.map(() => 4));
  const estimates = narrowEstimates(runs);
  expect(estimates.short?.each[0]).toEqual({ of: 'draw 37', value: expect.closeTo(0.16) });
  expect(estimates.narrowing?.each.map(({ value }) => value)[1]).toBeCloseTo(0.55 - 0.47);
  expect(estimates['over:merge']?.each.map(({ value }) => value)[2]).toBeCloseTo(0.05 + 0.02);
  expect(estimates['removed:merge']?.mean).toBeCloseTo(1 - 0.01 / 0.5);
  expect(estimates['over:agree']).toMatchObject({ n: 0, mean: null, interval: null });
  expect(estimates['removed:agree']).toBeUndefined();
  // Without training on trusted problems of any kind the narrowing cannot be estimated.
  const strings = narrowEstimates(runs.filter(({ spec }) => spec.trustedArguments?.length));
  expect([strings.narrowing?.n, strings.short?.n]).toEqual([0, 8]);
});

it('has a table of every model and a sentence for its verdict; null if no cell trusts strings alone', () => {
  const { verdict, figures } = judgeQuestion(NARROW_TRUST, draws())!;
  expect(Object.keys(NARROW_TRUST.says)).toContain(verdictText(verdict));
  expect(figures.length).toBeGreaterThan(6);
  const shown = NARROW_TRUST.shown(draws(), { verdict, figures, estimates: narrowEstimates(draws()) });
  expect(shown.tables[0].rows.map(([name]) => name)).toEqual([
    ...['untrained', 'vanilla', 'RL on trusted strings', 'merged with vanilla', 'curriculum', 'agreement'],
    ...['agreement’s placebo', 'repaired graders', 'RL on any trusted problems'],
  ]);
  expect(shown.tables[0].rows[0].slice(1)).toEqual(['.40 [.40 .40]', '.02 [.02 .02]']);
  expect(judgeQuestion(NARROW_TRUST, [arenaRunMade('none', 51, { total: [0.5, 0.5] })])).toBeNull();
});

describe('merging and its controls', () => {
  /** The runs of `draws`, with the controls' results. */
  const controlled = (random: number, scaled: number) =>
    draws().map((run) => {
      if (run.spec.arm !== 'trusted-only' || !run.spec.trustedArguments?.length) return run;
      const order: readonly number[] = NARROW_DRAWS;
      const by = (order.indexOf(run.spec.dataSeed ?? 0) % 3) / 100;
      const ends = { merge_random: random + 2 * by, merge_scaled: scaled + 2 * by, merge_average: 0.56 };
      const { evals } = arenaRunMade('trusted-only', 51, {
        total: [0.02, 0.46 + by],
        merge: [0.03, 0.51 + 3 * by],
        ...Object.fromEntries(Object.entries(ends).map(([name, honest]) => [name, [0.03, honest] as const])),
      });
      return { ...run, spec: { ...run.spec, alsoEvaluate: ['merge', 'merge_controls'] as const }, evals };
    });
  const judged = (random: number, scaled: number) =>
    verdictText(judgeQuestion(MERGING, controlled(random, scaled) as RunRecord[])!.verdict);

  it('holds above both, and fails where random signs add as much', () => {
    expect(judged(0.47, 0.48)).toBe('holds');
    expect(judged(0.47, 0.54)).toBe('in part: more than one of its two controls');
    expect(judged(0.53, 0.54)).toBe('fails: random signs add as much');
    expect(judgeQuestion(MERGING, draws())).toBeNull();
    const removed = mergingEstimates(controlled(0.47, 0.48) as RunRecord[])['removed:average'];
    expect(removed).toMatchObject({ n: 8, mean: expect.closeTo(1 - 0.01 / 0.5) });
  });
});
