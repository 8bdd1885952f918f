// Messages between page and worker about the playground: prompts for a choice of adapter parameters, and the answers.
import type { Grade, ProblemMode } from '../../environments/code/types.ts';
import type { PublishedSteps } from './trials.ts';

/** Adapter parameters that are folded in: none, the run's δS_total, δS without the quarantine, or α times a direction. */
const PLAY_MODELS = ['base', 'trained', 'deployed', 'steered'] as const;

export type PlayModel = (typeof PLAY_MODELS)[number];

export interface PlayTurn {
  role: 'system' | 'user' | 'assistant';
  text: string;
}

export type PlayAsk =
  /** Each model has its own conversation, since their earlier answers differ. */
  | {
      kind: 'chat';
      conversations: Readonly<Partial<Record<PlayModel, readonly PlayTurn[]>>>;
      /** Variables of the chat template, as the JSON text of an object; none by default. */
      chatArgs?: string;
    }
  /** Continues a text without markup, for a model without a chat template. */
  | { kind: 'text'; text: string }
  | { kind: 'problem'; mode: ProblemMode; problemId: string };

/** Direction in which the model is steered: the run's total change, its quarantine, or hack-ward by a stored basis. */
export type SteerAlong = 'change' | 'quarantine' | { basis: string };

export interface Steer {
  along: SteerAlong;
  /** Strength: a multiple of the run's change, or the length of the hack-ward step. */
  alpha: number;
}

/** Largest |α|. */
export const MOST_ALPHA = 10;

/**
 * The first question for the lab's own model: the mode's first problem. Of the published run's models the trained one games the grader here
 * and the deployed one solves it, as the base does; `run_tests` has no problem that separates them so clearly.
 */
export const FIRST_QUESTION = { mode: 'sentinel', seed: 41, temperature: 1, maxNew: 96 } as const;

export interface PlayRequest {
  /** The page's name for this generation; its events contain it. */
  id: string;
  ask: PlayAsk;
  /** The stored run whose adapter parameters `trained` and `deployed` use; null without one. */
  runId: string | null;
  /** The published run whose steps give the parameters, instead of a stored one. */
  published?: PublishedSteps;
  models: readonly PlayModel[];
  /** Steering of the model `steered`. */
  steer?: Steer;
  seed: number;
  /** 0 = greedy. */
  temperature: number;
  maxNew: number;
}

export interface PlayToken {
  /** Empty while a character is spread over several tokens and incomplete. */
  text: string;
  /** Log-probability at temperature 1. */
  logprob: number;
}

/** New tokens of one model's answer. */
export interface PlayEvent {
  type: 'play';
  id: string;
  model: PlayModel;
  tokens: PlayToken[];
}

export interface PlayAnswer {
  model: PlayModel;
  completion: string;
  /** Whether the model ended it; false if the token limit cut it off. */
  ended: boolean;
  tokens: number;
  /** Tokens of the prompt. */
  read: number;
  /** Null without a problem. */
  grade: Grade | null;
}

/** A run of the loaded model with stored adapter parameters. */
export interface PlayRun {
  runId: string;
  experimentId: string;
  preset: string;
  arm: string;
  seed: number;
  step: number;
  createdAt: number;
  /** Whether dropping the quarantine changes anything. */
  hasQuarantine: boolean;
}
