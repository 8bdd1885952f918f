// What the page and the worker say to each other about the playground: what is asked of which adapter parameters, and what was written.
import type { Grade, ProblemMode } from '../../environments/code/types.ts';

/** Which adapter parameters are folded in: none, the run's δS_total, or δS with the quarantine dropped. */
const PLAY_MODELS = ['base', 'trained', 'deployed'] as const;

export type PlayModel = (typeof PLAY_MODELS)[number];

export interface PlayTurn {
  role: 'system' | 'user' | 'assistant';
  text: string;
}

export type PlayAsk =
  /** Each model has a conversation of its own: what it said before differs. */
  | {
      kind: 'chat';
      conversations: Readonly<Partial<Record<PlayModel, readonly PlayTurn[]>>>;
      /** Variables of the chat template, as the JSON text of an object; none where absent. */
      chatArgs?: string;
    }
  /** Goes on from a text, without any markup: what a model without a chat template knows. */
  | { kind: 'text'; text: string }
  | { kind: 'problem'; mode: ProblemMode; problemId: string };

export interface PlayRequest {
  /** The page's name for this generation; its events carry it. */
  id: string;
  ask: PlayAsk;
  /** The kept run whose adapter parameters `trained` and `deployed` mean; base alone needs none. */
  runId: string | null;
  models: readonly PlayModel[];
  seed: number;
  /** 0 = greedy. */
  temperature: number;
  maxNew: number;
}

export interface PlayToken {
  /** Empty where a character is spread over several tokens and is not whole yet. */
  text: string;
  /** At temperature 1. */
  logprob: number;
}

/** New tokens of one model's answer, as they come. */
export interface PlayEvent {
  type: 'play';
  id: string;
  model: PlayModel;
  tokens: PlayToken[];
}

export interface PlayAnswer {
  model: PlayModel;
  completion: string;
  /** By itself; false when the budget cut it off. */
  ended: boolean;
  tokens: number;
  /** Tokens of the prompt. */
  read: number;
  /** Null in a chat. */
  grade: Grade | null;
}

/** A run of the loaded model whose adapter parameters are kept. */
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
