// Tests, on made-up draws, the question how much of P10's gap more trusted problems close: each verdict, and which runs are read.
import { expect, it } from 'vitest';
import { MISCONCEIVED } from '../../../src/environments/code/types.ts';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { arenaRunMade } from '../../../src/experiments/testing/arena-runs.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { COMPOSED_DRAWS } from './composed.ts';
import { AS_MANY } from './draws.ts';
import { MORE_TRUST, TRUSTED_SHARES_RULE, trustedShareCells, trustedSharesEstimates } from './trusted-shares.ts';

/** RL on a tenth solves .44, with a small offset per draw, repaired graders .62, vanilla .55; the untrained model solves .40. */
const draws = (twice = 0.56, fourTimes = 0.6, count: number = COMPOSED_DRAWS.length): RunRecord[] =>
  COMPOSED_DRAWS.flatMap((dataSeed, i) => {
    const by = (i % 3) / 100;
    const own = { dataSeed, environment: MISCONCEIVED, steps: 200 };
    const more = [
      arenaRunMade('trusted-only', 51, { total: [0.02, twice] }, { ...own, trustedShare: 0.2 }),
      arenaRunMade('trusted-only', 51, { total: [0.02, fourTimes] }, { ...own, trustedShare: 0.4 }),
    ];
    return [
      arenaRunMade('none', 51, { total: [0.52, 0.55] }, own),
      arenaRunMade('repaired', 51, { total: [0.01, 0.62] }, own),
      arenaRunMade('trusted-only', 51, { total: [0.02, 0.44 + by] }, own),
      arenaRunMade('trusted-only', 51, { total: [0.02, 0.9] }, { ...own, promptsPerStep: AS_MANY }),
      ...(i < count ? more : []),
    ];
  });

const verdict = (runs: readonly RunRecord[]) => verdictText(judge(TRUSTED_SHARES_RULE, trustedSharesEstimates(runs)));

it('holds if two tenths close more than half of the gap; otherwise four tenths decide the verdict', () => {
  expect(verdict(draws())).toBe('holds');
  expect(verdict(draws(0.535))).toBe('in part: four times as many close more than half');
  expect(verdict(draws(0.48))).toBe('in part: four times as many close more than half');
  expect(verdict(draws(0.48, 0.5))).toBe('fails: four times as many leave more than half');
  expect(verdict(draws(0.48, 0.535))).toBe('open');
  for (const text of ['holds', 'in part: four times as many close more than half'])
    expect(Object.keys(MORE_TRUST.says)).toContain(text);
});

it('is open while a draw lacks a share', () => {
  expect(verdict(draws(0.56, 0.6, 7))).toMatch(/^open: 7 of 7 draws; 8 are wanted/);
  expect(judgeQuestion(MORE_TRUST, draws(0.56, 0.6, 0))).toBeNull();
});

it('pairs within a draw, whatever the order, and keeps shares apart', () => {
  const runs = draws().toReversed();
  const { cells, further } = trustedShareCells(runs);
  expect(cells.map((cell) => cell.map(({ spec }) => spec.arm).toSorted())).toEqual(
    COMPOSED_DRAWS.map(() => ['none', 'repaired', 'trusted-only']),
  );
  expect([...further.twice, ...further.fourTimes].map((cell) => cell.length)).toEqual(
    [...COMPOSED_DRAWS, ...COMPOSED_DRAWS].map(() => 1),
  );
  const estimates = trustedSharesEstimates(runs);
  const second = (['half:twice', 'gain:twice', 'lack:fourTimes', 'overVanilla:twice', 'hack:twice'] as const).map(
    (key) => estimates[key]?.each[1].value,
  );
  for (const [i, value] of [0.56 - 0.535, 0.56 - 0.45, 0.02, 0.01, 0.01].entries())
    expect(second[i]).toBeCloseTo(value);
  expect(estimates['kept:twice']?.mean).toBeCloseTo(0.16 / 0.22);
  expect(estimates['kept:fourTimes']?.mean).toBeCloseTo(0.2 / 0.22);
  const again = runs.filter(({ spec }) => spec.trustedShare === 0.2).slice(0, 1);
  expect(() => trustedShareCells([...runs, ...again])).toThrow(/draw \d+ has a share twice/);
});

it('has a table with every share', () => {
  const { verdict: own, figures } = judgeQuestion(MORE_TRUST, draws())!;
  const shown = MORE_TRUST.shown(draws(), { verdict: own, figures, estimates: trustedSharesEstimates(draws()) });
  expect(shown.tables[0].rows.map(([name]) => name)).toEqual([
    ...['untrained', 'vanilla', 'trusted only, 10% trusted', 'trusted only, 20% trusted', 'trusted only, 40% trusted'],
    'repaired graders',
  ]);
});
