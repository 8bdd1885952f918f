// What an experiment knows of tasks without knowing what they are: a few labels for its records, and the ports through
// which every task, environment and reward reaches the loop. The code substrate fills them in prepare.ts.
import type { Grade, ProblemMode } from '../environments/code/types.ts';
import type { Environment, ModelHandles, Reward, TaskSampler } from '../environments/types.ts';
import type { PoolUse } from './teacher-pool.ts';

export interface TaskLabels<Task, Verdict> {
  id(task: Task): string;
  mode(task: Task): ProblemMode;
  grade(verdict: Verdict): Grade;
}

/** A cached teacher rollout: written and judged before the run, and frozen. */
export interface TeacherRow<Verdict> {
  completion: string;
  completionIds: readonly number[];
  /** The teacher's own, at temperature 1, one for each of completionIds; null where the pool has none (templates). */
  logprobs: readonly number[] | null;
  reward: number;
  verdict: Verdict;
}

/** A task of an evaluation set, and in what sense it is unseen. */
export interface EvaluationTask<Task> {
  task: Task;
  unseen: 'family' | 'params';
}

/** Everything that a run acts in. */
export interface World<Task, State, Verdict> {
  environment: Environment<Task, State>;
  reward: Reward<Task, Verdict>;
  sampler: TaskSampler<Task>;
  labels: TaskLabels<Task, Verdict>;
  models: ModelHandles;
  /** Empty for a task that has no teacher (honest problems; a held-out mode). */
  teacherRows(task: Task): readonly TeacherRow<Verdict>[];
  /** What is used of a stored pool; null or absent for templates, or without a teacher. */
  pool?: PoolUse | null;
  /** Unseen by RL and by the pairs; `during` is the small set for evaluations on the way. */
  evaluation: { during: readonly EvaluationTask<Task>[]; final: readonly EvaluationTask<Task>[] };
}
