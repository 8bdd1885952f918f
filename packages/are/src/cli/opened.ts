// Who may play, and a model that is open: what answers in words, and the agents that act by it.
import type { Thinking } from '@projected-grpo-lab/base/thinking.ts';
import { SCRIPTED_AGENTS } from '../agents/play.ts';
import type { Agent, Exchange } from '../agents/types.ts';
import type { Expert } from '../augment/app-agents.ts';
import type { ChatModel } from '../chat-model.ts';

/** `react`: thinks and acts by turns, in JSON. `language`: writes the compact language, where the program has models that do. */
export const AGENTS = [...SCRIPTED_AGENTS, 'react', 'language'] as const;
export type AgentName = (typeof AGENTS)[number];

/** What a run took of its model. */
export interface SpentTokens {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** An agent with a model, for one run. */
export interface ModelAgent extends Agent {
  readonly spent: SpentTokens;
  readonly exchanges: readonly Exchange[];
  /** Why it gave up. */
  readonly failure: string | null;
}

/** What answers in words. */
export interface OpenedModel {
  /** Of its weights, or its name where they are a server's. */
  readonly id: string;
  /** Whether thoughts are cut off its texts; nothing is where absent. */
  readonly thinking?: Thinking;
  /** Of each run its own, so that a run is the same whatever was run before it. */
  seeded(seed: number): ChatModel;
  free(): void;
}

export interface OpenedAgent {
  /** In rows. */
  readonly name: string;
  /** Of its weights, or its name where they are a server's. */
  readonly id: string;
  /** The same as OpenedModel's. */
  readonly thinking?: Thinking;
  /** For one run; the same for the same seed. `through`: what is between the agent and a model that it asks in words. */
  seeded(seed: number, through?: (model: ChatModel) => ChatModel): ModelAgent;
  /** The same model as what holds an app's tools. */
  expert(seed: number): Expert;
  free(): void;
}
