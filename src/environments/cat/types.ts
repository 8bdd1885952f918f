// Compute as Teacher: makes one reference answer from the attempts at a question, without the truth. An estimator depends only on a group's attempts and
// the models that it asks, so the same one serves at inference (the reference is the answer) and as a reward (attempts are rewarded for agreeing with
// it). Answers are compared as parsed values, not as texts.

import type { ModelHandles } from '../types.ts';

export interface Attempt {
  /** The attempt's text without its end token. */
  text: string;
  /** The parsed answer in normal form; null if there is none. */
  value: string | null;
  /** Log-probability of each token under the sampling policy, where known. */
  logprobs?: ArrayLike<number>;
}

/** The environment's prompts that show attempts to a model: whole prompts with chat markup. */
export interface Prompts {
  /** Asks for one answer made from several attempts. */
  synthesis(attempts: readonly Attempt[], withQuestion: boolean): string | Promise<string>;
  /** Asks which attempt is best: each attempt is an option, and the likeliest is chosen. */
  choice(attempts: readonly Attempt[]): Choice | Promise<Choice>;
  /** Asks the model to name the best attempt in its answer; absent if the environment has no such prompt. */
  numbered?(attempts: readonly Attempt[]): Numbered | Promise<Numbered>;
  /** Asks for one more attempt after these. */
  prediction(others: readonly Attempt[]): string | Promise<string>;
  /** The attempt as a model would write it after such prompts; unchanged if absent. */
  written?(attempt: Attempt): string;
}

export interface Choice {
  prompt: string;
  options: readonly string[];
}

export interface Numbered {
  prompt: string;
  /** Index of the attempt that an answer names; null if it names none. */
  chosen(text: string): number | null;
}

export interface AttemptGroup {
  /** Keys every draw together with the attempts' answers, so that draws do not depend on the order of groups or on a run's seed. */
  id: string;
  attempts: readonly Attempt[];
  prompts: Prompts;
  /** Parses a reference that a model wrote, as `Attempt.value`. */
  answerOf(text: string): string | null;
  /** The truth for the oracle estimator; null if it is unknown. */
  truth(): string | null;
}

/** Cost of a reference in calls and tokens of the asked models. */
export interface Cost {
  calls: number;
  read: number;
  written: number;
}

export interface Reference {
  /** Null if none could be made; then nothing agrees with it. */
  value: string | null;
  /** The synthesis or the chosen attempt; null for a bare value. */
  text: string | null;
  /** Index of the chosen attempt; null if none was chosen. */
  chosen: number | null;
  /** Number of attempts read; fewer than all if they did not fit. */
  read: number;
  cost: Cost;
}

/** What an estimator is allowed to see. */
export type Sees = 'answers' | 'attempts' | 'attempts and question' | 'truth' | 'nothing';

export interface ReferenceEstimator {
  readonly id: EstimatorId;
  readonly sees: Sees;
  /** Whether it asks a model. */
  readonly asks: boolean;
  /** Estimates all groups together, and returns references in their order. */
  estimate(groups: readonly AttemptGroup[], models: ModelHandles, signal?: AbortSignal): Promise<readonly Reference[]>;
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
