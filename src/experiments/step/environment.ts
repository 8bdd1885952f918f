// The interface between an experiment and its tasks: a few labels for the records, and the ports through which tasks, environments and
// rewards reach the loop. Each environment implements it in src/environments.

import type { Policy } from '../../engine/types.ts';
import type { EnvironmentDocument } from '../../environments/drawn.ts';
import type { Improvable } from '../../environments/exit/types.ts';
import type { SplitInfo } from '../../environments/metric-info.ts';
import type { JudgedTask } from '../../environments/metrics.ts';
import type { Dynamics, Group, ModelHandles, Reward, TaskSampler } from '../../environments/types.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { Thinking } from '../../text/thinking.ts';
import type { Metrics, Probes, Rates } from '../records/metrics.ts';
import type { PoolUse, TeacherRow } from '../records/pool.ts';

export interface TaskLabels<Task> {
  id(task: Task): string;
  /** Label by which rollouts are grouped and filtered: a loophole, a template. */
  kind(task: Task): string;
}

/** A task of an evaluation set; `unseen` is the id of the environment's split that it belongs to. */
export interface EvaluationTask<Task> {
  task: Task;
  unseen: string;
}

/** The model that an evaluation measures without tasks. The policy must hold `adapterParams` before and afterwards. */
export interface MeasuredModel {
  policy: Policy;
  codec: PromptCodec;
  adapterParams: Float32Array;
  signal?: AbortSignal;
}

export type { EnvironmentDocument } from '../../environments/drawn.ts';
export type { JudgedTask } from '../../environments/metrics.ts';

interface TrustedTasks<Task> {
  tasks: readonly Task[];
  sampler: TaskSampler<Task>;
  /** Reference solutions of the trusted tasks under their prompts. */
  documents: readonly EnvironmentDocument[];
}

/** All that a run needs of its environment. */
export interface TrainingEnvironment<Task = unknown, State = unknown, Verdict = unknown> {
  dynamics: Dynamics<Task, State>;
  reward: Reward<Task, Verdict>;
  sampler: TaskSampler<Task>;
  labels: TaskLabels<Task>;
  /** Whether thoughts are cut off before graders, checks and judges see a text (answers.ts). If absent, none is cut and none is counted. */
  thinking?: Thinking;
  /** Metrics by id of the environment's entry: those that the tasks allow. */
  figures(judged: readonly JudgedTask<Task, Verdict>[]): Rates;
  /** Verdict of a perfect monitor of hacks; absent if the environment has no hacks, and then monitors are refused. */
  isHack?(verdict: Verdict): boolean;
  /** Index of the surface form by which a hack exploits its task's flaw: 0 is the corpus's most common form, −1 no known form. Null where the
   *  task has no flaw (it passed by luck). Absent where forms are not told apart. */
  hackForm?(task: Task, answer: string): number | null;
  /** [group][rollout] What each answer does when run, right or wrong: two answers of a group that behave alike have equal texts; null where
   *  nothing was observed. Absent where answers are not programs, or the host cannot run them. */
  behaviours?(groups: readonly Group<Task>[], signal?: AbortSignal): Promise<(string | null)[][]>;
  /** Absent where an answer cannot be shown to the model again for revision. */
  improvable?: Improvable<Task, Verdict>;
  /** Whether evaluations also include chains of revisions. */
  isChained?: boolean;
  /** Measures the policy at an evaluation without sampling, at its current adapter parameters; absent if there is no such measure. */
  probe?(ports: { policy: Policy; codec: PromptCodec; signal?: AbortSignal }): Promise<Probes>;
  /** Metrics of the model itself, apart from its answers to the tasks; absent if there are none. */
  measure?(model: MeasuredModel): Promise<Metrics>;
  /** Models that the reward may ask, besides the anchor. */
  models: ModelHandles;
  /** Problems whose graders are known to be correct; absent where the spec trusts none. */
  trusted?: TrustedTasks<Task>;
  /** The prompt under which an update scores answers to a task; absent if it is the prompt they were sampled under. */
  updatePrompt?(task: Task): string;
  /** Empty for a task without a teacher (honest problems, a held-out mode). */
  teacherRows(task: Task): readonly TeacherRow<Verdict>[];
  /** The part of a stored pool that is used; null or absent for template teachers, or without a teacher. */
  pool?: PoolUse | null;
  splits: readonly SplitInfo[];
  /** For the objective nll; absent where the environment has no documents. */
  documents?: readonly EnvironmentDocument[];
  /** Documents that RL trains on beside its rollouts; absent where the spec replays none. */
  replay?: readonly EnvironmentDocument[];
  /** For the objective nll without `documents`: the document that a group's reference text teaches, from any of the group's verdicts; null
   *  if that is empty. Absent where answers are not compared with a reference. */
  documentOf?(task: Task, verdict: Verdict): EnvironmentDocument | null;
  /** For the objective distill: whole prompts that show the task with a demonstration. The teacher reads one of them in place of the prompt.
   *  Empty for a task without demonstrations. */
  demonstrations?(task: Task): readonly string[];
  /** Tasks unseen by RL and by the pairs; `during` is the small set for evaluations during training. */
  evaluation: { during: readonly EvaluationTask<Task>[]; final: readonly EvaluationTask<Task>[] };
}
