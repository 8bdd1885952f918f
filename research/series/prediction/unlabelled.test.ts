// Tests, on made-up draws, the question on two blocks that every rollout trains and of which one is deployed: each verdict, and which runs are
// read.
import { expect, it } from 'vitest';
import { ALPHAS } from '../../../src/experiments/config/controls.ts';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { arenaRunMade } from '../../../src/experiments/testing/arena-runs.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { AS_MANY, NEW_DRAWS } from './draws.ts';
import { UNLABELLED, UNLABELLED_BLOCKS, UNLABELLED_RULE, unlabelledDraws, unlabelledEstimates } from './unlabelled.ts';

/** Vanilla hacks .52 and solves .60; along the interpolation both rise linearly from .02 and .40. Draws differ by
 *  small offsets. */
const draws = (own: readonly [hack: number, honest: number], count: number = NEW_DRAWS.length): RunRecord[] =>
  NEW_DRAWS.flatMap((dataSeed, i) => {
    const by = (i % 3) / 100;
    const steps = 60;
    const way = Object.fromEntries(ALPHAS.map((at) => [`alpha_${at}`, [0.02 + 0.5 * at, 0.4 + 0.2 * at] as const]));
    const known = { dataSeed, steps };
    const two = { dataSeed, steps, adapter: 'blocks', labelShare: 0 } as const;
    return [
      arenaRunMade('none', 51, { total: [0.5, 0.58] }, known),
      arenaRunMade('repaired', 51, { total: [0.02, 0.6] }, known),
      arenaRunMade('trusted-only', 51, { total: [0.02, 0.5] }, known),
      arenaRunMade('trusted-only', 51, { total: [0.02, 0.9] }, { ...known, promptsPerStep: AS_MANY }),
      ...(i < count
        ? [
            arenaRunMade(UNLABELLED, 51, { total: [0.42, 0.6], deployed: [own[0] + by, own[1] + by] }, two),
            arenaRunMade('none', 51, { total: [0.52, 0.6], ...way }, { dataSeed, steps, adapter: 'lora' }),
          ]
        : []),
    ];
  });

const verdict = (runs: readonly RunRecord[]) => verdictText(judge(UNLABELLED_RULE, unlabelledEstimates(runs)));

it('holds if half of the hack is removed and no interpolated model is as good; each part can fail by itself', () => {
  expect(verdict(draws([0.05, 0.55]))).toBe('holds');
  // The interpolation at one half has .27 and .50.
  expect(verdict(draws([0.2, 0.46]))).toBe('in part: no more than a smaller step is shown');
  expect(verdict(draws([0.4, 0.6]))).toBe('fails: less than half is removed');
  for (const text of ['holds', 'in part: no more than a smaller step is shown', 'fails: less than half is removed'])
    expect(Object.keys(UNLABELLED_BLOCKS.says)).toContain(text);
});

it('is open while draws are missing', () => {
  expect(verdict(draws([0.05, 0.55], 11))).toMatch(/^open: 11 of 11 draws; 12 are wanted/);
  expect(judgeQuestion(UNLABELLED_BLOCKS, draws([0.05, 0.55], 0))).toBeNull();
});

it('pairs within a draw, and keeps adapters and numbers of prompts apart', () => {
  const runs = draws([0.05, 0.55]).toReversed();
  expect(unlabelledDraws(runs).map(({ known }) => known.map(({ spec }) => spec.arm))).toEqual(
    NEW_DRAWS.map(() => ['none', 'repaired', 'trusted-only']),
  );
  const estimates = unlabelledEstimates(runs);
  const second = (['solve:0.5', 'hack:0.5', 'overTrusted', 'trustedHack'] as const).map(
    (key) => estimates[key]?.each[1].value,
  );
  for (const [i, value] of [0.06, 0.21, 0.06, 0.04].entries()) expect(second[i]).toBeCloseTo(value);
  expect(estimates.removed?.mean).toBeCloseTo(1 - 0.04 / 0.5);
  expect(estimates.removedOwn?.mean).toBeCloseTo(1 - 0.04 / 0.4);
  expect(estimates.kept?.mean).toBeCloseTo(0.16 / 0.2);
  const again = runs.filter(({ spec }) => spec.arm === UNLABELLED).slice(0, 1);
  expect(() => unlabelledDraws([...runs, ...again])).toThrow(/draw \d+ has a run twice/);
});

it('has a table with every interpolated model', () => {
  const runs = draws([0.05, 0.55]);
  const { verdict: own, figures } = judgeQuestion(UNLABELLED_BLOCKS, runs)!;
  const shown = UNLABELLED_BLOCKS.shown(runs, { verdict: own, figures, estimates: unlabelledEstimates(runs) });
  expect(shown.tables[0].rows).toHaveLength(7 + ALPHAS.length);
});
