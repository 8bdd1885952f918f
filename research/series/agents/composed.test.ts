// Tests G2's rule on invented rows.

import { SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import { expect, it } from 'vitest';
import { composedMetrics, type SampledRow } from '../../../src/experiments/environments/agents.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { G2 } from './forms.ts';

/** Makes rows of four tasks per split and draw, of which the given number passes. */
const rows = (passed: (split: number, seed: number) => number): SampledRow[] =>
  [1, 2].flatMap((seed) =>
    SPLITS.flatMap((split, at) =>
      Array.from({ length: 4 }, (_, i) => ({
        model: 'm',
        part: 'templates' as const,
        seed,
        temperature: 0,
        split,
        form: 'f',
        task: `${split} ${seed} ${i}`,
        success: i < passed(at, seed),
        failure: null,
        turns: 3,
        refused: 0,
        ended: true,
      })),
    ),
  );
const judged = (passed: Parameters<typeof rows>[0]) => judgeQuestion(G2, rows(passed))?.verdict.status;

it('holds if three splits reach a quarter in each draw, holds in part if only their means do, and fails otherwise', () => {
  expect(judged((split) => (split < 3 ? 1 : 0))).toBe('holds');
  expect(judged((split) => (split < 2 ? 4 : 0))).toBe('fails');
  expect(judged((split, seed) => (split < 2 ? 4 : split === 2 ? (seed === 1 ? 0 : 2) : 0))).toBe('in part');
  expect(judged((split, seed) => (split < 2 ? 4 : split === 2 ? (seed === 1 ? 0 : 1) : 0))).toBe('fails');
});

it('has the figures of each model by draw', () => {
  const two = [...rows(() => 1), ...rows(() => 2).map((row) => ({ ...row, model: 'other' }))];
  const [first, second] = composedMetrics(two);
  expect(first).toMatchObject({ model: 'm', seeds: [1, 2], tasks: 4, solve: { time: [0.25, 0.25] }, sd: { time: 0 } });
  expect(second).toMatchObject({ model: 'other', mean: { search: 0.5 } });
});
