// The general interfaces between a model's behaviour and its teaching: Environment × Reward × TaskSampler. Single-turn problems,
// multi-turn agents, rewards that compare a group's rollouts, and curricula all have this shape; nothing here knows of any of them.

import type { EpisodeEnd, LanguageModel, Sequence } from '../engine/types.ts';

export type Source = 'student' | 'teacher';

/** One exchange of an episode: the text shown to the policy, and its answer. An episode is one sequence of its turns. */
export interface Turn {
  /** The first turn has the whole prompt; a later one has the observation appended after the previous turn; both with chat markup. */
  prompt: string;
  completion: string;
  /** Token ids of both, as the policy's own tokenizer gave them. */
  promptIds: readonly number[];
  completionIds: readonly number[];
  /** Prompt of the update, for a first turn that is trained under another prompt than it was sampled under. */
  updateIds?: readonly number[];
  /** Log-probability of each completion token under the policy that wrote it, if known. */
  logprobs?: Float32Array;
  /** False if the completion was cut off at its token budget instead of ending with an end token. */
  ended: boolean;
  /** Present if thoughts are counted: tokens up to the end of the last thought, whether it never ended, and whether the prompt began
   *  it. */
  thought?: { tokens: number; isUnclosed: boolean; isOpened: boolean };
}

export interface Rollout<Task> {
  task: Task;
  source: Source;
  turns: readonly Turn[];
  /** Why a live multi-turn episode ended; absent for a teacher's row and in a single-turn run. */
  end?: EpisodeEnd;
}

/** All rollouts of one prompt in one step: advantages are computed within it. */
export interface Group<Task> {
  task: Task;
  rollouts: readonly Rollout<Task>[];
}

/** What the model is shown: at first the whole prompt, then the text appended after its turn (with chat markup; it is not trained on);
 *  or the end. */
export type Observation = { kind: 'prompt'; text: string } | { kind: 'end' };

/** The steps of an episode: begin → observe → act → observe … → end. The object has no state; each episode has its own. */
export interface Dynamics<Task, State> {
  readonly id: string;
  begin(task: Task): State;
  observe(state: State): Observation;
  /** Takes the model's text and returns the next state. Episodes run concurrently. `ended`: false if the turn was cut off at its token
   *  budget, without an end token. */
  act(state: State, completion: string, ended?: boolean): Promise<State>;
}

/** Role of a model that a reward may ask. `anchor`: the frozen initial policy, which is also the `synthesiser` if the host gave no other;
 *  a `judge` exists if the host gave one. */
export type ModelRole = 'anchor' | 'judge' | 'synthesiser';

/** A model that answers, and may give log-probabilities of other texts. */
export interface HandledModel extends LanguageModel {
  /** Most positions of a prompt with its answer, if known. */
  readonly room?: number;
  /** Log-probabilities of each sequence's trained tokens at temperature 1. Absent in a model that only generates; the anchor has it. */
  logprobs?(sequences: readonly Omit<Sequence, 'segment'>[], signal?: AbortSignal): Promise<Float32Array[]>;
}

/** Models by role, besides the policy of the rollouts, that a reward may use. Those that the loop passes always have `anchor`; undefined if
 *  there is none. */
export interface ModelHandles {
  get(role: ModelRole): HandledModel | undefined;
}

export interface Judged<Verdict> {
  reward: number;
  verdict: Verdict;
}

/** Scores a whole group at once, so that rollouts can be compared with each other. The order is that of group.rollouts. */
export interface Reward<Task, Verdict> {
  readonly id: string;
  /** The reward asks no model, so that the policy may generate while rollouts are judged. */
  readonly asksNobody?: boolean;
  score(
    groups: readonly Group<Task>[],
    models: ModelHandles,
    signal?: AbortSignal,
  ): Promise<readonly (readonly Judged<Verdict>[])[]>;
}

/** Scores each rollout independently of its group, and asks no model. */
export const eachAlone = <Task, Verdict>(
  id: string,
  judge: (task: Task, turns: readonly Turn[]) => Judged<Verdict> | Promise<Judged<Verdict>>,
): Reward<Task, Verdict> => ({
  id,
  asksNobody: true,
  score: (groups) =>
    Promise.all(groups.map(({ task, rollouts }) => Promise.all(rollouts.map(async ({ turns }) => judge(task, turns))))),
});

/** Chooses the next tasks; sees the rewards so far (for curricula). It depends on (seed, step), never on a clock. A sampler with further
 *  state has `save` and `restore`, since runs share an environment and may be stopped. */
export interface TaskSampler<Task> {
  draw(request: { seed: number; step: number; count: number; history: TaskHistory }): readonly Task[];
  /** Called after each step with its live rollouts and their judgements. `step` counts from 0. */
  learn?(seen: { step: number; groups: readonly LearntGroup<Task>[] }): void;
  /** Plain JSON with all state, besides the history, that decides later draws. It is stored in the checkpoint. */
  save?(): unknown;
  /** Takes the result of `save`, or null at the beginning of a run, which resets the state. Throws SpecError for another sampler's
   *  state. */
  restore?(saved: unknown): void;
}

/** The live rollouts of a prompt, in order, with their judgements. */
export interface LearntGroup<Task> extends Group<Task> {
  judged: readonly Judged<unknown>[];
}

/** Rewards of each task so far, by task id: one entry per visit, in order. */
export interface TaskHistory {
  /** The mean over the group. */
  rewards(taskId: string): readonly number[];
  /** Rewards of all live rollouts; empty for a visit in an older record, which has only the mean. */
  returns(taskId: string): readonly (readonly number[])[];
}

// A single-turn environment: one prompt, one answer, the end. The state only says whether the answer was given.

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
