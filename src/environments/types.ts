// The general joints between what a model does and what it is taught by: Environment × Reward × TaskSampler.
// Single-turn code problems are the special case that exists today (src/environments/code); nothing here knows of it.
// Multi-turn agents, group-level judges and curricula fit without a change of shape.
import type { LanguageModel } from '../engine/types.ts';

export type Source = 'student' | 'teacher';

/** One exchange of an episode: what the policy saw, and what it wrote. */
export interface Turn {
  /** The full text given to the model, chat markup included. */
  prompt: string;
  completion: string;
  /** Token ids of both, as the policy's own tokenizer gave them. */
  promptIds: readonly number[];
  completionIds: readonly number[];
  /** Log-probability of each completion token under the policy that wrote it, where known. */
  logprobs?: Float32Array;
  /** False when the completion was cut off at its budget instead of ending by itself. */
  ended: boolean;
}

export interface Rollout<Task> {
  task: Task;
  source: Source;
  turns: readonly Turn[];
}

/** All rollouts of one prompt in one step: the unit over which advantages are taken. */
export interface Group<Task> {
  task: Task;
  rollouts: readonly Rollout<Task>[];
}

/** What a step of an episode gives back: another thing to see, or the end. */
export type Observation = { kind: 'prompt'; text: string } | { kind: 'end' };

/** Stepwise: begin → observe → act → observe … → end. Stateless itself; the state is the episode's. */
export interface Environment<Task, State> {
  readonly id: string;
  begin(task: Task): State;
  observe(state: State): Observation;
  /** Takes the model's text and returns the next state. */
  act(state: State, completion: string): Promise<State>;
}

/** What a reward may use besides the rollouts: frozen or current models, by role ('judge', 'reference', …). */
export interface ModelHandles {
  get(role: string): LanguageModel | undefined;
}

export interface Judged<Verdict> {
  reward: number;
  verdict: Verdict;
}

/** Scores a whole group at once, so that rollouts can be judged against each other. Order follows group.rollouts. */
export interface Reward<Task, Verdict> {
  readonly id: string;
  score(
    groups: readonly Group<Task>[],
    models: ModelHandles,
    signal?: AbortSignal,
  ): Promise<readonly (readonly Judged<Verdict>[])[]>;
}

/** Chooses the next tasks; sees what has been learned so far (for curricula). Keyed by (seed, step), never by a clock. */
export interface TaskSampler<Task> {
  draw(request: { seed: number; step: number; count: number; history: TaskHistory }): readonly Task[];
}

/** Mean reward that each task has earned so far, by task id. */
export interface TaskHistory {
  rewards(taskId: string): readonly number[];
}
