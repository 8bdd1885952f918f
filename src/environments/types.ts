// The general joints between what a model does and what it is taught by: Environment × Reward × TaskSampler.
// Single-turn code problems are the special case that exists today (src/environments/code); nothing here knows of it.
// Multi-turn agents, group-level judges and curricula fit without a change of shape.

import type { EpisodeEnd, LanguageModel, Sequence } from '../engine/types.ts';

export type Source = 'student' | 'teacher';

/** One exchange of an episode: the text shown to the policy, and its answer. An episode is one sequence of its turns. */
export interface Turn {
  /** The first turn has the whole prompt, a later one the observation that was appended after the turn before; chat markup
   *  included. */
  prompt: string;
  completion: string;
  /** Token ids of both, as the policy's own tokenizer gave them. */
  promptIds: readonly number[];
  completionIds: readonly number[];
  /** Prompt of the update, of a first turn that is scored under another prompt than it was sampled under. */
  updateIds?: readonly number[];
  /** Log-probability of each completion token under the policy that wrote it, where known. */
  logprobs?: Float32Array;
  /** False when the completion was cut off at its budget instead of ending by itself. */
  ended: boolean;
  /** Present if thoughts are counted: tokens up to the end of the last one, whether it never ended by itself, and whether the prompt
   *  began it. */
  thought?: { tokens: number; isUnclosed: boolean; isOpened: boolean };
}

export interface Rollout<Task> {
  task: Task;
  source: Source;
  turns: readonly Turn[];
  /** Why a live episode of several turns went no further; absent for a teacher's row, and in a run of one turn. */
  end?: EpisodeEnd;
}

/** All rollouts of one prompt in one step: the unit over which advantages are taken. */
export interface Group<Task> {
  task: Task;
  rollouts: readonly Rollout<Task>[];
}

/** Result of a step of an episode: at first the whole prompt, then the text that is appended after the model's turn (chat markup
 *  included; it is shown and not trained on), or the end. */
export type Observation = { kind: 'prompt'; text: string } | { kind: 'end' };

/** Stepwise: begin → observe → act → observe … → end. Stateless itself; the state is the episode's. */
export interface Dynamics<Task, State> {
  readonly id: string;
  begin(task: Task): State;
  observe(state: State): Observation;
  /** Takes the model's text and returns the next state. Episodes are asked at the same time. `ended`: false where the turn was
   *  cut off at its budget, without a token that ends it. */
  act(state: State, completion: string, ended?: boolean): Promise<State>;
}

/** Role of a model that a reward may ask. `anchor`: the frozen initial policy, which is the `synthesiser` too where a host gave no other;
 *  a `judge` is there where a host gave one. */
export type ModelRole = 'anchor' | 'judge' | 'synthesiser';

/** A model that answers, and may say how likely it finds what others wrote. */
export interface HandledModel extends LanguageModel {
  /** Positions for a prompt and its answer, where they are known. */
  readonly room?: number;
  /** Log-probabilities of each sequence's trained tokens, at temperature 1. Absent in a model that only writes; the anchor has it. */
  logprobs?(sequences: readonly Omit<Sequence, 'segment'>[], signal?: AbortSignal): Promise<Float32Array[]>;
}

/** Models that a reward may use besides the rollouts, by role. Those that the loop hands to a reward always have `anchor`; undefined
 *  if there is none. */
export interface ModelHandles {
  get(role: ModelRole): HandledModel | undefined;
}

export interface Judged<Verdict> {
  reward: number;
  verdict: Verdict;
}

/** Scores a whole group at once, so that rollouts can be judged against each other. Order follows group.rollouts. */
export interface Reward<Task, Verdict> {
  readonly id: string;
  /** It asks no model, so that the model may go on writing while rollouts are judged. */
  readonly asksNobody?: boolean;
  score(
    groups: readonly Group<Task>[],
    models: ModelHandles,
    signal?: AbortSignal,
  ): Promise<readonly (readonly Judged<Verdict>[])[]>;
}

/** Scores each rollout by itself, whatever the others of its group did, and asks no model. */
export const eachAlone = <Task, Verdict>(
  id: string,
  judge: (task: Task, turns: readonly Turn[]) => Judged<Verdict> | Promise<Judged<Verdict>>,
): Reward<Task, Verdict> => ({
  id,
  asksNobody: true,
  score: (groups) =>
    Promise.all(groups.map(({ task, rollouts }) => Promise.all(rollouts.map(async ({ turns }) => judge(task, turns))))),
});

/** Chooses the next tasks; sees what has been learned so far (for curricula). Keyed by (seed, step), never by a clock. One that
 *  remembers more than the history has `save` and `restore`: an environment is shared by runs, and a run may be stopped. */
export interface TaskSampler<Task> {
  draw(request: { seed: number; step: number; count: number; history: TaskHistory }): readonly Task[];
  /** Called after each step with its live rollouts and their judgements. `step` counts from 0. */
  learn?(seen: { step: number; groups: readonly LearntGroup<Task>[] }): void;
  /** Plain JSON; whatever decides later draws and is not in the history. Goes into the checkpoint. */
  save?(): unknown;
  /** Takes the result of `save`, or null at a run's beginning, when everything is forgotten. Throws SpecError for a state of another
   *  sampler. */
  restore?(saved: unknown): void;
}

/** The live rollouts of a prompt, in order, with their judgements. */
export interface LearntGroup<Task> extends Group<Task> {
  judged: readonly Judged<unknown>[];
}

/** Rewards of each task so far, by task id: an entry a visit, in order. */
export interface TaskHistory {
  /** The mean over the group. */
  rewards(taskId: string): readonly number[];
  /** Every live rollout's; empty for a visit that an earlier lab kept, of which the mean alone is known. */
  returns(taskId: string): readonly (readonly number[])[];
}

// An environment of one turn: one prompt, one answer, the end. Its episodes need no memory but whether the answer is given.

export interface OneTurn<Task> {
  readonly task: Task;
  readonly isOver: boolean;
}

export const oneTurn = <Task extends { readonly prompt: string }>(id: string): Dynamics<Task, OneTurn<Task>> => ({
  id,
  begin: (task) => ({ task, isOver: false }),
  observe: ({ task, isOver }) => (isOver ? { kind: 'end' } : { kind: 'prompt', text: task.prompt }),
  act: async ({ task }) => ({ task, isOver: true }),
});
