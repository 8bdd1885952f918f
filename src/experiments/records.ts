// What is kept of a step: its row, and its rollouts with their grades.

import type { OptimizerState } from '../algorithms/optimizer.ts';
import { deployed } from '../algorithms/optimizer.ts';
import { minus, norm } from '../algorithms/vectors.ts';
import type { Judged, Rollout, Source } from '../environments/types.ts';
import { mean, sd, sum } from '../stats/index.ts';
import type { RolloutRecord, StepRow } from './events.ts';
import type { Advantages } from './gradient.ts';
import type { StepGroup } from './groups.ts';
import { type Graded, ratesOf } from './rates.ts';
import type { TaskLabels } from './tasks.ts';

/** The part of a row that the rollouts alone decide. */
export type RolloutSummary = Pick<
  StepRow,
  | 'student'
  | 'teacher'
  | 'reward'
  | 'rewardStd'
  | 'fracRewardZeroStd'
  | 'completionMeanLength'
  | 'completionClippedRatio'
  | 'rolloutTokens'
>;

export function summarise<Task, Verdict>(
  groups: readonly StepGroup<Task, Verdict>[],
  judged: readonly (readonly Judged<Verdict>[])[],
  skipped: readonly boolean[],
  labels: TaskLabels<Task, Verdict>,
): RolloutSummary {
  const flat = groups.flatMap(({ rollouts }, g) => rollouts.map((rollout, i) => ({ rollout, judged: judged[g][i] })));
  const of = (source: Source) => flat.filter(({ rollout }) => rollout.source === source);
  const graded = (source: Source): Graded[] =>
    of(source).map(({ rollout, judged }) => ({ mode: labels.mode(rollout.task), grade: labels.grade(judged.verdict) }));
  const students = of('student');
  const rewards = students.map(({ judged }) => judged.reward);
  const lengths = students.map(({ rollout }) => lengthOf(rollout));
  const cut = students.filter(({ rollout }) => rollout.turns.some(({ ended }) => !ended));
  return {
    student: ratesOf(graded('student')),
    teacher: ratesOf(graded('teacher')),
    reward: mean(rewards),
    rewardStd: sd(rewards),
    fracRewardZeroStd: skipped.filter(Boolean).length / groups.length,
    completionMeanLength: mean(lengths),
    completionClippedRatio: students.length === 0 ? null : cut.length / students.length,
    rolloutTokens: sum(lengths),
  };
}

const lengthOf = <Task>({ turns }: Rollout<Task>): number =>
  sum(turns.map(({ completionIds }) => completionIds.length));

/** ‖δS − initial‖ (how far the deployed knob has moved), ‖δS_hack‖ and the shadows' norms. */
export function norms(
  state: OptimizerState,
  initial: Float32Array,
): Pick<StepRow, 'normDeltaS' | 'normDeltaSHack' | 'shadowNorms'> {
  return {
    normDeltaS: norm(minus(deployed(state), initial)),
    normDeltaSHack: norm(state.hack),
    shadowNorms: Object.fromEntries(Object.entries(state.shadows).map(([id, shadow]) => [id, norm(shadow)])),
  };
}

export function rolloutRecords<Task, Verdict>(
  step: number,
  groups: readonly StepGroup<Task, Verdict>[],
  judged: readonly (readonly Judged<Verdict>[])[],
  advantages: Advantages,
  labels: TaskLabels<Task, Verdict>,
): RolloutRecord[] {
  return groups.flatMap(({ task, prompt, rollouts }, g) =>
    rollouts.map(({ source, turns }, i): RolloutRecord => {
      const last = turns[turns.length - 1];
      return {
        step,
        promptIndex: prompt,
        sampleIndex: i,
        problemId: labels.id(task),
        mode: labels.mode(task),
        source,
        prompt: last.prompt,
        completion: last.completion,
        logprobs: last.logprobs ? Array.from(last.logprobs) : null,
        advantage: advantages.values[g][i],
        grade: labels.grade(judged[g][i].verdict),
      };
    }),
  );
}
