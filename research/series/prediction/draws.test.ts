// Tests the question on new draws with made-up runs: each verdict, and which runs are paired.
import { expect, it } from 'vitest';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { arenaRunMade } from '../../../src/experiments/testing/arena-runs.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { AS_MANY, DRAWS_RULE, drawsEstimates, NEW_DRAWS, NEW_DRAWS_VERIFIER, newDraws } from './draws.ts';

interface Solves {
  verifier?: number;
  hacks?: number;
  placeboHacks?: number;
  more?: number;
}

/** RL on trusted problems alone solves .55, with a small offset per draw; half of the draws have their baselines in cells with trusted strings. */
const draws = (own: Solves = {}, count: number = NEW_DRAWS.length): RunRecord[] =>
  NEW_DRAWS.slice(0, count).flatMap((dataSeed, i) => {
    const { verifier = 0.58, hacks = 0.03, placeboHacks = 0.2, more = 0.56 } = own;
    const by = (i % 3) / 100;
    const of = { dataSeed, ...(i % 2 === 0 && { trustedArguments: ['string' as const] }) };
    return [
      arenaRunMade('none', 51, { total: [0.52, 0.59] }, of),
      arenaRunMade('repaired', 51, { total: [0.02, 0.62] }, of),
      // The question ignores this run, which trusts only strings.
      arenaRunMade('verifier', 51, { total: [0.4, 0.3] }, { dataSeed, trustedArguments: ['string'] }),
      arenaRunMade('trusted-only', 51, { total: [0.02, 0.55 + by] }, { dataSeed }),
      arenaRunMade('trusted-only', 51, { total: [0.02, more] }, { dataSeed, promptsPerStep: AS_MANY }),
      arenaRunMade('verifier', 51, { total: [hacks, verifier + 2 * by] }, { dataSeed }),
      arenaRunMade('verifier_random', 51, { total: [placeboHacks + by, 0.58] }, { dataSeed }),
    ];
  });

const verdict = (runs: readonly RunRecord[]) => verdictText(judge(DRAWS_RULE, drawsEstimates(runs)));

it('holds if the hack is removed, more is solved than by both baselines, and the placebo hacks more; each part can fail by itself', () => {
  expect(verdict(draws())).toBe('holds');
  expect(verdict(draws({ placeboHacks: 0.02 }))).toBe('in part: its placebo hacks no more');
  expect(verdict(draws({ more: 0.6 }))).toMatch(/^in part: more is solved than by trusted problems alone, not/);
  expect(verdict(draws({ verifier: 0.54 }))).toMatch(/^fails: no more is solved/);
  // A tenth of what vanilla adds to the base's hack is .05.
  expect(verdict(draws({ hacks: 0.08 }))).toBe('fails: some of the hack is left');
  expect(verdict(draws({}, 11))).toMatch(/^open: 11 of 11 draws; 12 are wanted/);
  // A draw without vanilla does not count, so that every estimate is judged on the same draws.
  const lacking = draws().filter(({ spec }) => !(spec.arm === 'none' && spec.dataSeed === 157));
  expect(verdict(lacking)).toMatch(/^open: 11 of 11 draws/);
  expect(() => newDraws([...draws(), arenaRunMade('verifier', 52, { total: [0, 0] }, { dataSeed: 47 })])).toThrow(
    'draw 47: runs of 2 cells',
  );
});

it('pairs within a draw, and keeps runs with trusted strings or larger steps apart', () => {
  const runs = draws();
  expect(newDraws(runs).map((draw) => [draw.runs.length, draw.more.length])).toEqual(NEW_DRAWS.map(() => [5, 1]));
  const estimates = drawsEstimates(runs);
  expect(estimates.overTrusted?.each.slice(0, 3)).toEqual([
    { of: 'draw 47', value: expect.closeTo(0.03) },
    { of: 'draw 57', value: expect.closeTo(0.04) },
    { of: 'draw 67', value: expect.closeTo(0.05) },
  ]);
  expect(estimates.moreOverTrusted?.each[1].value).toBeCloseTo(0);
  expect(estimates.removed?.mean).toBeCloseTo(1 - 0.01 / 0.5);
});

it('has a sentence for its verdict, and a table of every model', () => {
  const { verdict, figures } = judgeQuestion(NEW_DRAWS_VERIFIER, draws())!;
  expect(Object.keys(NEW_DRAWS_VERIFIER.says)).toContain(verdictText(verdict));
  const shown = NEW_DRAWS_VERIFIER.shown(draws(), { verdict, figures, estimates: drawsEstimates(draws()) });
  expect(shown.tables[0].rows.map(([name]) => name).at(-1)).toBe('trusted only, 12 prompts a step');
  expect(
    judgeQuestion(
      NEW_DRAWS_VERIFIER,
      draws().filter(({ spec }) => spec.trustedArguments?.length),
    ),
  ).toBeNull();
});
