// Tests the question of monitors that can be gamed, on made-up draws: each of its verdicts, and which runs it reads.
import { expect, it } from 'vitest';
import type { ArmName } from '../../../src/experiments/config/arms.ts';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { planSweep } from '../../../src/experiments/sweep/plan.ts';
import { parseSweepSpec } from '../../../src/experiments/sweep/spec.ts';
import { arenaRunMade } from '../../../src/experiments/testing/arena-runs.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { pageOf } from '../../judge/testing/pages.ts';
import { NEW_DRAWS } from './draws.ts';
import { GAMED_MONITORS, GAMED_RULE, gamedDraws, gamedEstimates, towardsUnseen } from './gamed.ts';

interface Rates {
  probe?: number;
  equal?: number;
  refit?: number;
  base?: number;
  /** Share of the probe's hacks at the end that have the commonest spelling, which the probe detects. */
  common?: number;
}

/** Rows of a run in which half of the rollouts hack. A share `common` of the hacks has the commonest spelling; all of these are detected, and half
 *  of the others. */
const rowsWith = (run: RunRecord, common: number): RunRecord => ({
  ...run,
  rows: run.rows.map((row) => ({
    ...row,
    student: { n: 64, figures: { ...row.student.figures, hack: 0.5 } },
    gated: 0.4,
    gateRecall: common + (1 - common) / 2,
    hackSpelling: common,
    spellingRecall: common > 0 ? 1 : null,
  })),
});

const draws = (rates: Rates = {}, count: number = NEW_DRAWS.length): RunRecord[] => {
  const { probe = 0.3, equal = 0.05, refit = 0.1, base = 0.08, common = 0.2 } = rates;
  return NEW_DRAWS.slice(0, count).flatMap((dataSeed, i) => {
    const by = (i % 3) / 100;
    const of = (arm: ArmName, hack: number, model = 'total') =>
      arenaRunMade(arm, 51, { [model]: [hack + by, 0.5 + by] }, { dataSeed, steps: 80, evaluationSeeds: 8 });
    return [
      rowsWith(of('probe_penalty', probe), common + by),
      of('probe_rates', equal),
      of('probe_refit', refit),
      of('base_probe', base),
      of('text_monitor', 0.2),
      rowsWith(of('probe_random', 0.45), 0.6),
      of('none', 0.5),
      of('repaired', 0.01),
      of('route', 0.05, 'deployed'),
      arenaRunMade('none', 51, { total: [0.9, 0.1] }, { dataSeed, steps: 80 }),
    ];
  });
};

const verdict = (runs: readonly RunRecord[]) => verdictText(judge(GAMED_RULE, gamedEstimates(runs)));
const PART = 'in part: the probe leaves more than equal errors do, not all that was predicted';

it('holds if the probe leaves three times as much, undetected, and harder monitors half; each part can fail by itself', () => {
  const reached = [
    [{}, 'holds'],
    [{ equal: 0.15 }, PART],
    [{ refit: 0.2 }, PART],
    [{ base: 0.2 }, PART],
    [{ common: 0.7 }, PART],
    [{ equal: 0.3 }, 'fails: the probe is not told apart from equal errors'],
    [{ equal: 0.4 }, 'fails: equal errors leave more'],
  ] as const;
  for (const [rates, expected] of reached) {
    expect(verdict(draws(rates)), JSON.stringify(rates)).toBe(expected);
    expect(Object.keys(GAMED_MONITORS.says)).toContain(expected);
  }
});

it('is open while draws are missing, and null before its first run', () => {
  expect(verdict(draws({}, 11))).toMatch(/^open: 11 of 11 draws; 12 are wanted/);
  const known = draws().filter(({ spec }) => spec.evaluationSeeds !== 8);
  expect(judgeQuestion(GAMED_MONITORS, known)).toBeNull();
  const [run] = draws();
  expect(() => gamedDraws([run, run])).toThrow(/draw 47 has probe_penalty twice/);
});

it('takes the less detected spelling from the runs whose flags were permuted', () => {
  const [probe] = draws();
  const permuted = draws().find(({ spec }) => spec.arm === 'probe_random')!;
  // Of the permuted runs' hacks .6 have the commonest spelling, all detected, and half of the others are detected. In
  // the probe's runs .2 have it.
  expect(towardsUnseen(probe, permuted)).toBeCloseTo(0.4);
  expect(towardsUnseen(rowsWith(probe, 0.9), permuted)).toBeCloseTo(-0.3);
  expect(towardsUnseen(probe, rowsWith(permuted, 1))).toBeNull();
});

it('has one row per monitor, each of which the plan runs in every draw', () => {
  const runs = draws();
  const { verdict: own, figures } = judgeQuestion(GAMED_MONITORS, runs)!;
  const shown = GAMED_MONITORS.shown(runs, { verdict: own, figures, estimates: gamedEstimates(runs) });
  const [shares, ends] = shown.tables;
  expect(shares.rows).toHaveLength(10);
  expect(ends.rows.map(([monitor]) => monitor)).toEqual(['frozen probe of the student', 'probe, permuted']);
  const { configurations } = planSweep(parseSweepSpec(JSON.parse(pageOf('docs/arena/gamed.sweep.json'))));
  const planned = configurations.flatMap(({ rungs }) => rungs.flat().map(({ spec }) => `${spec.arm} ${spec.dataSeed}`));
  const arms = [...new Set(runs.map(({ spec }) => spec.arm))];
  expect(planned.toSorted()).toEqual(arms.flatMap((arm) => NEW_DRAWS.map((draw) => `${arm} ${draw}`)).toSorted());
});
