// Tests, on made-up draws, the question on problems whose skills a trusted tenth shows in part: each verdict, and which runs are read.
import { expect, it } from 'vitest';
import { COMPOSED } from '../../../src/environments/code/types.ts';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { arenaRunMade } from '../../../src/experiments/testing/arena-runs.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { COMPOSED_DRAWS, COMPOSED_RULE, COMPOSED_TRUST, composedCells, composedEstimates } from './composed.ts';

/** RL on trusted problems solves .46, with a small offset per draw; vanilla solves .55 and hacks .52; the untrained model solves .40. */
const draws = (repaired = 0.62, count: number = COMPOSED_DRAWS.length): RunRecord[] =>
  COMPOSED_DRAWS.slice(0, count).flatMap((dataSeed, i) => {
    const own = { dataSeed, environment: COMPOSED };
    return [
      arenaRunMade('none', 51, { total: [0.52, 0.55] }, own),
      arenaRunMade('repaired', 51, { total: [0.02, repaired] }, own),
      arenaRunMade(
        'trusted-only',
        51,
        { total: [0.02, 0.46 + (i % 3) / 100], merge: [0.04, 0.48 + (i % 3) / 100], merge_average: [0.12, 0.5] },
        own,
      ),
    ];
  });

const verdict = (runs: readonly RunRecord[]) => verdictText(judge(COMPOSED_RULE, composedEstimates(runs, COMPOSED)));

it('holds above ten points, fails below, and is open between or with a draw missing', () => {
  expect(verdict(draws())).toBe('holds');
  expect(verdict(draws(0.52))).toBe('fails: the gap is below ten points');
  expect(verdict(draws(0.57))).toBe('open');
  expect(verdict(draws(0.62, 7))).toMatch(/^open: 7 of 7 draws; 8 are wanted/);
});

it('pairs within a draw, in its own environment and its own draws', () => {
  const others = [
    arenaRunMade('repaired', 51, { total: [0, 0.9] }, { dataSeed: 37 }),
    arenaRunMade('repaired', 51, { total: [0, 0.9] }, { dataSeed: 7, environment: COMPOSED }),
  ];
  expect(composedCells([...others, ...draws()], COMPOSED).map((cell) => cell.length)).toEqual(
    COMPOSED_DRAWS.map(() => 3),
  );
  const estimates = composedEstimates([...others, ...draws()], COMPOSED);
  expect(estimates.short?.each[1]).toEqual({ of: 'draw 47', value: expect.closeTo(0.15) });
  expect(estimates.learnt?.mean).toBeCloseTo(0.06 + 0.07 / 8);
  expect(estimates.vanillaShort?.mean).toBeCloseTo(0.07);
  expect(estimates['over:merge']?.each.map(({ value }) => value)[2]).toBeCloseTo(0.02);
  expect(estimates['removed:average']?.mean).toBeCloseTo(1 - 0.1 / 0.5);
});

it('has a table of every model and a sentence for its verdict; null without composed cells', () => {
  const { verdict: own, figures } = judgeQuestion(COMPOSED_TRUST, draws())!;
  expect(Object.keys(COMPOSED_TRUST.says)).toContain(verdictText(own));
  const shown = COMPOSED_TRUST.shown(draws(), {
    verdict: own,
    figures,
    estimates: composedEstimates(draws(), COMPOSED),
  });
  expect(shown.tables[0].rows[0].slice(1)).toEqual(['.40 [.40 .40]', '.02 [.02 .02]']);
  expect(shown.limits?.[0]).toMatch(/^Repaired graders gain \.22 .* gains \.07 /);
  expect(judgeQuestion(COMPOSED_TRUST, [arenaRunMade('none', 51, { total: [0.5, 0.5] })])).toBeNull();
});
