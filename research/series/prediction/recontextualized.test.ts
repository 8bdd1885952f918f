// Tests, on made-up draws, the question on rollouts that are sampled under one clause and trained under another: each verdict, and which runs are
// read.
import { expect, it } from 'vitest';
import type { Settings } from '../../../src/experiments/config/settings.ts';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { planSweep } from '../../../src/experiments/sweep/plan.ts';
import { parseSweepSpec } from '../../../src/experiments/sweep/spec.ts';
import { arenaRunMade } from '../../../src/experiments/testing/arena-runs.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { pageOf } from '../../judge/testing/pages.ts';
import { NEW_DRAWS } from './draws.ts';
import {
  RECONTEXTUALIZED,
  RECONTEXTUALIZED_RULE,
  recontextualizedDraws,
  recontextualizedEstimates,
  SETTINGS,
  settingOf,
} from './recontextualized.ts';

interface Rates {
  own?: readonly [hack: number, honest: number];
  ask?: number;
  askLow?: number;
  swapped?: number;
  irrelevant?: number;
}

/** The untrained model hacks .02 and vanilla .42. If both prompts ask for the hack, the run hacks .04 in the first `askLow` draws and `ask` in the
 *  others. */
const draws = (rates: Rates = {}, count: number = NEW_DRAWS.length): RunRecord[] => {
  const { own = [0.05, 0.58], ask = 0.3, askLow = 0, swapped = 0.2, irrelevant = 0.35 } = rates;
  return NEW_DRAWS.slice(0, count).flatMap((dataSeed, i) => {
    const by = (i % 3) / 100;
    const common = { dataSeed, steps: 60, evaluationSeeds: 8 };
    const run = (hack: number, honest: number, changes: Partial<Settings>) =>
      arenaRunMade('none', 51, { total: [hack, honest] }, { ...common, ...changes });
    const to = (rolloutPrompt: Settings['rolloutPrompt'], updatePrompt: Settings['updatePrompt']) => ({
      rolloutPrompt,
      updatePrompt,
    });
    return [
      run(0.42, 0.6, {}),
      run(own[0] + by, own[1] + by, to('discourage', 'ask')),
      run(own[0] + 0.1 + by, own[1], { ...to('discourage', 'ask'), ratioPrompt: 'rollout' }),
      run(i < askLow ? 0.04 : ask + by, 0.57, { inoculation: true }),
      run(swapped + by / 2, 0.57, { ...to('discourage', 'ask'), promptSwap: true }),
      run(irrelevant + by / 2, 0.57, to('discourage', 'irrelevant')),
      arenaRunMade('trusted-only', 51, { total: [0.02, 0.5] }, common),
      // Vanilla of earlier questions has one sampling seed.
      arenaRunMade('none', 51, { total: [0.9, 0.1] }, { dataSeed, steps: 60 }),
    ];
  });
};

const verdict = (runs: readonly RunRecord[]) =>
  verdictText(judge(RECONTEXTUALIZED_RULE, recontextualizedEstimates(runs)));

it('holds if the hack is removed, no skill is lost, asking leaves it and the controls hack more; each part can fail by itself', () => {
  const reached = [
    [{}, 'holds'],
    [{ swapped: 0.05 }, 'in part: a control hacks as little'],
    [{ irrelevant: 0.05 }, 'in part: a control hacks as little'],
    [{ askLow: 5 }, 'holds'],
    [{ askLow: 8 }, 'holds'],
    [{ ask: 0.19 }, 'in part: the hack goes at no less skill, and asking in both leaves little of it too'],
    [{ ask: 0.1 }, 'fails: asking in the update alone is as asking in both'],
    [{ own: [0.15, 0.58] }, 'fails: some of the hack is left'],
    [{ own: [0.05, 0.5] }, 'open'],
  ] as const;
  for (const [rates, expected] of reached) {
    expect(verdict(draws(rates)), JSON.stringify(rates)).toBe(expected);
    expect(Object.keys(RECONTEXTUALIZED.says)).toContain(expected);
  }
  // Only three draws keep the hack, and four are needed; and the mean shows no difference of ten points by its
  // interval.
  expect(verdict(draws({ askLow: 9 }))).not.toBe('holds');
});

it('is open while draws or controls are missing, and null before its first run', () => {
  expect(verdict(draws({}, 11))).toMatch(/^open: 11 of 11 draws; 12 are wanted/);
  expect(verdict(draws().filter(({ spec }) => !spec.promptSwap))).toMatch(/^open: 0 of 0 draws/);
  const known = draws().filter(({ spec }) => spec.evaluationSeeds !== 8);
  expect(judgeQuestion(RECONTEXTUALIZED, known)).toBeNull();
});

it('pairs settings within a draw, and reads no run with another number of sampling seeds', () => {
  const runs = draws().toReversed();
  const estimates = recontextualizedEstimates(runs);
  const second = (
    ['overAsk', 'hackAgainstAsk', 'swappedHack', 'irrelevantHack', 'ratioHack', 'overTrusted'] as const
  ).map((key) => estimates[key]?.each[1].value);
  for (const [i, value] of [0.02, -0.25, 0.145, 0.295, 0.1, 0.09].entries()) expect(second[i]).toBeCloseTo(value);
  expect(estimates.removed?.mean).toBeCloseTo(1 - 0.04 / 0.4);
  expect(estimates.leftMany?.mean).toBe(12);
  const again = runs.filter(({ spec }) => spec.inoculation).slice(0, 1);
  expect(() => recontextualizedDraws([...runs, ...again])).toThrow(/draw \d+ has ask → ask twice/);
});

it('has one row per setting, each of which the plans run in every draw', () => {
  const { verdict: own, figures } = judgeQuestion(RECONTEXTUALIZED, draws())!;
  const shown = RECONTEXTUALIZED.shown(draws(), {
    verdict: own,
    figures,
    estimates: recontextualizedEstimates(draws()),
  });
  expect(shown.tables[0].rows).toHaveLength(SETTINGS.length + 2);
  const files = RECONTEXTUALIZED.commands.flatMap((command) => /docs\/\S+\.sweep\.json/.exec(command)?.[0] ?? []);
  const runs = files.flatMap((file) => {
    const { configurations } = planSweep(parseSweepSpec(JSON.parse(pageOf(file))));
    return configurations.flatMap(({ rungs }) => rungs.flat().map(({ spec }) => spec));
  });
  expect(runs.filter(({ arm }) => arm === 'trusted-only').map(({ dataSeed }) => dataSeed)).toEqual([...NEW_DRAWS]);
  const planned = runs
    .filter(({ arm }) => arm === 'none')
    .map((spec) => `${spec.dataSeed} ${settingOf(spec)}`)
    .sort();
  expect(planned).toEqual(NEW_DRAWS.flatMap((draw) => SETTINGS.map((setting) => `${draw} ${setting}`)).sort());
});
