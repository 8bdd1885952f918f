// The available agents, and an opened model: for conversations, or as agents.
import type { Thinking } from '@projected-grpo-lab/base/thinking.ts';
import { SCRIPTED_AGENTS } from '../agents/play.ts';
import type { Agent, Exchange } from '../agents/types.ts';
import type { Expert } from '../augment/app-agents.ts';
import type { ChatModel } from '../chat-model.ts';

/** `react`: thoughts and actions in turn, in JSON. `language`: the compact language, if the program has models for it. */
export const AGENTS = [...SCRIPTED_AGENTS, 'react', 'language'] as const;
export type AgentName = (typeof AGENTS)[number];

/** Model usage of a run. */
export interface SpentTokens {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** An agent with a model, for one run. */
export interface ModelAgent extends Agent {
  readonly spent: SpentTokens;
  readonly exchanges: readonly Exchange[];
  /** Why the agent gave up; null if it did not. */
  readonly failure: string | null;
}

/** A model for conversations. */
export interface OpenedModel {
  /** Hash of its weights, or its name on a server. */
  readonly id: string;
  /** Whether thoughts are removed from its texts; absent if they are kept. */
  readonly thinking?: Thinking;
  /** A model for one run, so that its result does not depend on earlier runs. */
  seeded(seed: number): ChatModel;
  free(): void;
}

export interface OpenedAgent {
  /** Name in rows. */
  readonly name: string;
  /** Hash of its weights, or its name on a server. */
  readonly id: string;
  /** Same as OpenedModel's. */
  readonly thinking?: Thinking;
  /** An agent for one run, the same for the same seed. `through` wraps its model. */
  seeded(seed: number, through?: (model: ChatModel) => ChatModel): ModelAgent;
  /** The same model as operator of an app's tools. */
  expert(seed: number): Expert;
  free(): void;
}
