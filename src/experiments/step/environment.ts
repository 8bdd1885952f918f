// An experiment's interface to tasks, which it does not know: a few labels for its records, and the ports through which every task,
// environment and reward reaches the loop. Each environment fills them in ../environments.

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

/** A task of an evaluation set, and in what sense it is unseen: the id of one of the environment's splits. */
export interface EvaluationTask<Task> {
  task: Task;
  unseen: string;
}

/** A model that an evaluation measures without its tasks: the policy has `adapterParams`, before and afterwards. */
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
  /** Their own solutions under their prompts. */
  documents: readonly EnvironmentDocument[];
}

/** Everything that a run acts in. */
export interface TrainingEnvironment<Task = unknown, State = unknown, Verdict = unknown> {
  dynamics: Dynamics<Task, State>;
  reward: Reward<Task, Verdict>;
  sampler: TaskSampler<Task>;
  labels: TaskLabels<Task>;
  /** Whether thoughts are cut off a text before graders, checks and judges see it (answers.ts); where absent nothing is, and no thought is counted. */
  thinking?: Thinking;
  /** Values by the ids of the entry's metrics, every one of them that the tasks give. */
  figures(judged: readonly JudgedTask<Task, Verdict>[]): Rates;
  /** Verdict of a perfect monitor of hacks; absent if there are none, and then no baseline has a monitor. */
  isHack?(verdict: Verdict): boolean;
  /** Index of the surface form in which an answer that isHack exploits its task's flaw, 0 the commonest of the corpus, −1 none of them; null
   *  where the task has no flaw, and it passed by luck. Absent where forms are not told apart. */
  hackForm?(task: Task, answer: string): number | null;
  /** [group][rollout] What each answer does, apart from whether that is right: equal texts where two of a group do the same, null where nothing
   *  was seen. Absent where answers are no programs, or the host runs none. */
  behaviours?(groups: readonly Group<Task>[], signal?: AbortSignal): Promise<(string | null)[][]>;
  /** Absent where answers can not be shown again, to be improved. */
  improvable?: Improvable<Task, Verdict>;
  /** Whether its evaluations have chains of revisions besides. */
  isChained?: boolean;
  /** Measures the policy without sampling at an evaluation, with its current adapter parameters; absent where nothing is measured so. */
  probe?(ports: { policy: Policy; codec: PromptCodec; signal?: AbortSignal }): Promise<Probes>;
  /** Figures of an evaluation that are of the model and not of its tasks' answers; absent if there are none. */
  measure?(model: MeasuredModel): Promise<Metrics>;
  /** Models that its reward may ask besides the anchor. */
  models: ModelHandles;
  /** Problems whose graders are known to be right; absent where the spec trusts none. */
  trusted?: TrustedTasks<Task>;
  /** The prompt under which an update scores answers to a task; absent where it is what they were sampled under. */
  updatePrompt?(task: Task): string;
  /** Empty for a task that has no teacher (honest problems; a held-out mode). */
  teacherRows(task: Task): readonly TeacherRow<Verdict>[];
  /** The part of a stored pool that is used; null or absent for templates, or without a teacher. */
  pool?: PoolUse | null;
  splits: readonly SplitInfo[];
  /** For the objective nll; absent where the environment has none. */
  documents?: readonly EnvironmentDocument[];
  /** Texts that RL learns from beside its rollouts; absent where the spec replays none. */
  replay?: readonly EnvironmentDocument[];
  /** For the objective nll if there are none: what the reference of a task's group teaches, of any of its verdicts; null where it
   *  has no text. Absent where answers are compared with no reference. */
  documentOf?(task: Task, verdict: Verdict): EnvironmentDocument | null;
  /** For the objective distill: whole prompts that show the task together with a demonstration, one of which takes the prompt's
   *  place before the teacher; empty for a task that has none. */
  demonstrations?(task: Task): readonly string[];
  /** Unseen by RL and by the pairs; `during` is the small set for evaluations on the way. */
  evaluation: { during: readonly EvaluationTask<Task>[]; final: readonly EvaluationTask<Task>[] };
}
