// Compute as Teacher: from the attempts at one question to one reference answer, without the truth. An estimator is a function of a
// group's attempts and of the models that it may ask, so that the same one serves at inference (its answer is the answer) and as a
// reward (attempts are paid for agreeing with it). Answers are compared as parsed values, never as texts.

import type { ModelHandles } from '../types.ts';

export interface Attempt {
  /** What was said, without the token that ended it. */
  text: string;
  /** Its parsed answer, written in one way for equal values; null where it has none. */
  value: string | null;
  /** Log-probability of each token under the policy that wrote it, where known. */
  logprobs?: ArrayLike<number>;
}

/** How the environment puts attempts before a model; whole prompts, chat markup included. */
export interface Prompts {
  /** To write one answer out of several attempts. */
  synthesis(attempts: readonly Attempt[], withQuestion: boolean): string | Promise<string>;
  /** To say which attempt is the best: an option for each, of which the likeliest is taken. */
  choice(attempts: readonly Attempt[]): Choice | Promise<Choice>;
  /** The same asked in words; absent where nobody is asked so. */
  numbered?(attempts: readonly Attempt[]): Numbered | Promise<Numbered>;
  /** To foresee one more attempt from these. */
  prediction(others: readonly Attempt[]): string | Promise<string>;
  /** An attempt as a model that is asked so would write it; as it is where absent. */
  said?(attempt: Attempt): string;
}

export interface Choice {
  prompt: string;
  options: readonly string[];
}

export interface Numbered {
  prompt: string;
  /** The place of the attempt that an answer names; null where it names none. */
  chosen(text: string): number | null;
}

export interface AskedGroup {
  /** With the attempts' answers it decides every draw: no order of groups does, and no seed of a run. */
  id: string;
  attempts: readonly Attempt[];
  prompts: Prompts;
  /** As `Attempt.value`, of what a model writes as a reference. */
  answerOf(text: string): string | null;
  /** For the oracle alone; null where it is not known. */
  truth(): string | null;
}

/** What a reference took, in tokens of the models asked. */
export interface Cost {
  calls: number;
  read: number;
  written: number;
}

export interface Reference {
  /** Null: none could be made, and nothing agrees with it. */
  value: string | null;
  /** The synthesis, or the attempt that was chosen; null of a bare value. */
  text: string | null;
  /** Which attempt was chosen; null where none was. */
  chosen: number | null;
  /** Attempts that were read: fewer than there are where they did not fit. */
  read: number;
  cost: Cost;
}

/** What an estimator looks at. */
export type Sees = 'answers' | 'attempts' | 'attempts and question' | 'truth' | 'nothing';

export interface ReferenceEstimator {
  readonly id: EstimatorId;
  readonly sees: Sees;
  /** It asks a model. */
  readonly asks: boolean;
  /** In the order of the groups, all of which are asked together. */
  estimate(groups: readonly AskedGroup[], models: ModelHandles, signal?: AbortSignal): Promise<readonly Reference[]>;
}

export const ESTIMATORS = [
  'majority',
  'min_perplexity',
  'self_bon',
  'self_choice',
  'mutual',
  'synthesis',
  'synthesis_question',
  'oracle',
  'random',
  'one',
] as const;
export type EstimatorId = (typeof ESTIMATORS)[number];
