// Tests a step's row on made-up rollouts and adapter parameters.
import { describe, expect, it } from 'vitest';
import type { OptimizerState } from '../../algorithms/optimizer.ts';
import { codeMetrics } from '../../environments/code/reward.ts';
import type { Grade } from '../../environments/code/types.ts';
import type { Source } from '../../environments/types.ts';
import type { StepGroup } from './groups.ts';
import { norms, summarise } from './step-records.ts';

const rollout = (source: Source, tokens: number, ended: boolean) => ({
  task: 0,
  source,
  turns: [{ prompt: 'p', completion: 'c', promptIds: [1], completionIds: new Array<number>(tokens).fill(1), ended }],
});
const verdict = (reward: number) => ({
  reward,
  verdict: { exploited: reward > 1, gt_correct: false, structural: false } as Grade,
});
const figures = (judged: readonly { verdict: Grade }[]) =>
  codeMetrics(judged.map(({ verdict }) => ({ task: { mode: 'sentinel' as const }, verdict })));

describe('a row', () => {
  it('takes rewards, lengths and the truncated share from student rollouts, and rates from each source', () => {
    const rollouts = [
      rollout('student', 4, true),
      rollout('student', 8, true),
      rollout('student', 12, false),
      rollout('teacher', 99, false),
    ];
    const groups = [{ task: 0, prompt: 0, live: 3, drawn: [], rollouts }] as unknown as StepGroup<number, Grade>[];
    const row = summarise(groups, [[verdict(0), verdict(0.25), verdict(1.25), verdict(1.25)]], [false], figures);
    expect(row).toMatchObject({ reward: 0.5, completionMeanLength: 8, rolloutTokens: 24, fracRewardZeroStd: 0 });
    expect(row.completionClippedRatio).toBeCloseTo(1 / 3, 12);
    expect(row.rewardStd).toBeCloseTo(Math.sqrt((0.25 + 0.0625 + 0.5625) / 2), 12);
    expect([row.student.n, row.student.figures.hack, row.teacher.n, row.teacher.figures.hack]).toEqual([
      3,
      1 / 3,
      1,
      1,
    ]);
  });

  it('measures the deployed adapter, the quarantine and every control', () => {
    const state = {
      total: Float32Array.of(3, 5),
      hack: Float32Array.of(0, 1),
      shadows: { no_gate: Float32Array.of(6, 8) },
    } as unknown as OptimizerState;
    expect(norms(state, new Float32Array(state.total.length))).toEqual({
      normDeltaS: 5,
      normDeltaSHack: 1,
      shadowNorms: { no_gate: 10 },
    });
  });
});
