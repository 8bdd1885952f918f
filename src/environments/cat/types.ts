// Compute as Teacher: from the attempts at one question to one reference answer, without the truth. An estimator is a function of a
// group's attempts and of the models that it may ask, so that the same one serves at inference (its answer is the answer) and as a
// reward (attempts are paid for agreeing with it). Answers are compared as parsed values, never as texts.

import type { ModelHandles } from '../types.ts';

export interface Attempt {
  /** The attempt's text without its end token. */
  text: string;
  /** The parsed answer, written alike for equal values; null if there is none. */
  value: string | null;
  /** Log-probability of each token under the policy that wrote it, where known. */
  logprobs?: ArrayLike<number>;
}

/** The environment's prompts that show attempts to a model: whole prompts with chat markup. */
export interface Prompts {
  /** Asks for one answer made of several attempts. */
  synthesis(attempts: readonly Attempt[], withQuestion: boolean): string | Promise<string>;
  /** Asks which attempt is best: each attempt is an option, and the likeliest is taken. */
  choice(attempts: readonly Attempt[]): Choice | Promise<Choice>;
  /** Asks which attempt is best and lets the model name it in its answer; absent if the environment has no such prompt. */
  numbered?(attempts: readonly Attempt[]): Numbered | Promise<Numbered>;
  /** Asks for one more attempt after these. */
  prediction(others: readonly Attempt[]): string | Promise<string>;
  /** The attempt in the form in which a model writes it for such prompts; unchanged if absent. */
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
  /** Decides every draw together with the attempts' answers, so that neither the order of groups nor a run's seed does. */
  id: string;
  attempts: readonly Attempt[];
  prompts: Prompts;
  /** Parses a reference that a model wrote, as `Attempt.value`. */
  answerOf(text: string): string | null;
  /** The truth for the oracle estimator; null if it is unknown. */
  truth(): string | null;
}

/** Cost of a reference in tokens of the models that were asked. */
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
  /** Number of attempts that were read: fewer than there are if they did not fit. */
  read: number;
  cost: Cost;
}

/** Input of an estimator. */
export type Sees = 'answers' | 'attempts' | 'attempts and question' | 'truth' | 'nothing';

export interface ReferenceEstimator {
  readonly id: EstimatorId;
  readonly sees: Sees;
  /** Whether it asks a model. */
  readonly asks: boolean;
  /** Estimates in the order of the groups, which are all asked together. */
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
