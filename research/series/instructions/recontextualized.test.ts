// Tests, on made-up seeds, the question on answers that are sampled under one clause and learnt under another: each verdict, which runs are
// read, and that the commands run every setting in every seed.
import { expect, it } from 'vitest';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { runMade } from '../../../src/experiments/testing/statistics-runs.ts';
import { judgeQuestion } from '../../judge/question.ts';
import {
  CLAUSE_RULE,
  CLAUSE_SEEDS,
  CLAUSE_SETTINGS,
  CLAUSES_QUESTION,
  clauseEstimates,
  clauseSeeds,
} from './recontextualized.ts';

interface Rates {
  plain?: number;
  own?: readonly [hack: number, solvePlain: number];
  ask?: number;
  swapped?: number;
  irrelevant?: number;
}

/** The untrained model hacks .02; `by` sets the seeds apart. */
function runs(rates: Rates = {}, count: number = CLAUSE_SEEDS.length): RunRecord[] {
  const { plain = 0.72, own = [0.05, 0.16], ask = 0.6, swapped = 0.4, irrelevant = 0.5 } = rates;
  const hackOf: Readonly<Record<string, number>> = {
    'neutral → neutral': plain,
    'discourage → ask': own[0],
    'ask → ask': ask,
    'discourage → ask, swapped': swapped,
    'discourage → irrelevant': irrelevant,
  };
  return CLAUSE_SEEDS.slice(0, count).flatMap((seed, i) =>
    Object.entries(CLAUSE_SETTINGS).map(([setting, prompts]) => {
      const hack = (hackOf[setting] ?? 0.3) + i / 100;
      const solvePlain = setting === 'discourage → ask' ? own[1] : 0.15 + i / 100;
      const made = runMade({ arm: 'none', seed, overrides: { evaluationSeeds: 8, ...prompts } });
      const evals = Object.entries({ base: 0.02, total: hack }).map(([model, value]) => ({
        step: 6,
        model,
        kind: 'final' as const,
        splits: {},
        all: { n: 128, figures: { hack: value, solve: 0.1, solvePlain, drift: 0.04 } },
      }));
      return { ...made, evals };
    }),
  );
}

const verdict = (rows: readonly RunRecord[]) => verdictText(judge(CLAUSE_RULE, clauseEstimates(rows)));

it('holds if the hack is removed, no skill is lost, permission leaves it and the controls hack more; each part can fail', () => {
  const reached = [
    [{}, 'holds'],
    [{ swapped: 0.1 }, 'in part: a control hacks as little'],
    [{ irrelevant: 0.1 }, 'in part: a control hacks as little'],
    [{ ask: 0.25 }, 'in part: the hack goes at no less skill, and asking in both leaves little of it too'],
    [{ ask: 0.1 }, 'fails: asking in the update alone is as asking in both'],
    [{ own: [0.3, 0.16] }, 'fails: some of the hack is left'],
    [{ own: [0.05, 0.02] }, 'open'],
    [{ plain: 0.1 }, 'open: nothing to remove'],
  ] as const;
  for (const [rates, expected] of reached) {
    expect(verdict(runs(rates)), JSON.stringify(rates)).toBe(expected);
    expect(Object.keys(CLAUSES_QUESTION.says)).toContain(expected);
  }
});

it('is open while seeds or controls are missing, and null before its first run', () => {
  expect(verdict(runs({}, 2))).toBe('open: 2 of 2 training seeds; 3 are wanted');
  expect(verdict(runs().filter(({ spec }) => !spec.promptSwap))).toMatch(/^open: 0 of 0 training seeds/);
  const known = runs().map((run) => ({ ...run, spec: { ...run.spec, evaluationSeeds: 1 } }));
  expect(judgeQuestion(CLAUSES_QUESTION, known)).toBeNull();
});

it('pairs settings within a seed, and has a row for each', () => {
  const rows = runs().toReversed();
  const estimates = clauseEstimates(rows);
  expect(estimates.removed?.mean).toBeCloseTo(1 - 0.04 / 0.71);
  expect(estimates.leftMany?.mean).toBe(3);
  expect(estimates.hackAgainstAsk?.each.map(({ of }) => of)).toEqual(CLAUSE_SEEDS.map((seed) => `seed ${seed}`));
  expect(() => clauseSeeds([...rows, rows[0]])).toThrow(/seed 53 has .* twice/);
  const judged = judgeQuestion(CLAUSES_QUESTION, rows)!;
  const { tables } = CLAUSES_QUESTION.shown(rows, judged);
  expect(tables[0].rows).toHaveLength(12);
  expect(tables[0].rows.every((row) => row[1] === '3')).toBe(true);
});

it('has a command for each setting, with the recipe of the shown claim', () => {
  const trained = CLAUSES_QUESTION.commands.filter((command) => command.startsWith('npm run lab -- run'));
  expect(trained).toHaveLength(11);
  expect(new Set(trained.map((command) => /--json (\S+)/.exec(command)?.[1])).size).toBe(11);
  for (const command of trained) {
    expect(command).toContain('--arms none --seeds 51,52,53 --steps 12 --set evalEvery=0 --set finalEvalProblems=128');
    expect(command).toContain('--set evaluationSeeds=8');
  }
  expect(trained.filter((command) => command.includes('promptSwap=true'))).toHaveLength(1);
});
