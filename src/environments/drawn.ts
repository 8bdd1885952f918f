// An environment whose problems are drawn by seed, without a teacher and with nothing to exploit: what its folder gives, from which the lab
// makes everything that a run acts in (its epochs, its evaluation set, its records' labels).
import type { Improvable } from './exit/types.ts';
import type { JudgedTask, Rates } from './metrics.ts';
import type { Dynamics, Reward } from './types.ts';

/** What is asked first, and what the task is filed under. */
export interface DrawnTask {
  id: string;
  kind: string;
  prompt: string;
}

/** A text to be learnt by next-token loss, chat markup included: a document, or a transcript of which some parts are context. */
export interface EnvironmentDocument {
  id: string;
  parts: readonly { text: string; isTrained: boolean }[];
}

interface Documented<Task, Verdict> {
  documentOf(task: Task, verdict: Verdict): EnvironmentDocument | null;
}

/** `Run`: what it reads of a run's settings. */
export interface DrawnEnvironment<
  Task extends DrawnTask = DrawnTask,
  State = unknown,
  Verdict = unknown,
  Run = unknown,
> {
  dynamics: Dynamics<Task, State>;
  reward(run: Run): Reward<Task, Verdict>;
  /** What of the run decides the reward; nothing where absent. */
  rewardPart?(run: Run): readonly unknown[];
  /** By the ids of its metrics, every one of them that the tasks give. */
  figures(judged: readonly JudgedTask<Task, Verdict>[]): Rates;
  /** For the objective nll: what the reference of a task's group teaches; undefined where answers are compared with none. */
  documentOf?(run: Run): Documented<Task, Verdict>['documentOf'] | undefined;
  /** Absent where answers are not revised. */
  improvable?: Improvable<Task, Verdict>;
  /** Evaluations have chains of revisions. */
  isChained?: boolean;
  /** The first `count` problems of a part, training or a split: a longer list begins with a shorter one, and has fewer where there are no
   *  more. */
  draw(part: string, count: number, dataSeed?: number): readonly Task[];
}
