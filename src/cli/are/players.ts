// Who plays: an agent without a model, by its name, or one with the model that is named: one that thinks and acts by turns, or one in
// the compact language.

import {
  type Played,
  type PlayOptions,
  playScripted,
  playWith,
  SCRIPTED_AGENTS,
} from '../../environments/are/agents/play.ts';
import type { ChatModel } from '../../environments/are/agents/react/model.ts';
import { ReactAgent } from '../../environments/are/agents/react/react.ts';
import type { Agent } from '../../environments/are/agents/types.ts';
import type { Expert } from '../../environments/are/augment/app-agents.ts';
import { type ToolWords, withToolWords } from '../../environments/are/augment/tool-names.ts';
import type { Trace } from '../../environments/are/scenario/schema.ts';

/** `react`: thinks and acts by turns, in JSON. `language`: writes the compact language. */
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
  /** Why it gave up. */
  readonly failure: string | null;
}

export interface OpenedAgent {
  /** In rows. */
  readonly name: string;
  /** For one run; the same for the same seed. */
  seeded(seed: number): ModelAgent;
  /** The same model as what holds an app's tools. */
  expert(seed: number): Expert;
  free(): void;
}

export interface PlayedBy extends Played {
  /** null: without a model. */
  readonly spent: SpentTokens | null;
  /** Why an agent with a model gave up. */
  readonly gaveUp: string | null;
}

/** @param words under which an agent with a model is shown the tools; null: their own */
export async function playAs(
  agent: AgentName,
  trace: Trace,
  options: PlayOptions,
  model: ModelAgent | null,
  words: ToolWords | null = null,
): Promise<PlayedBy> {
  if (agent !== 'react' && agent !== 'language')
    return { ...(await playScripted(trace, agent, options)), spent: null, gaveUp: null };
  if (model === null) throw new Error('An agent with a model was asked for without one.');
  const played = await playWith(trace, words ? withToolWords(model, words) : model, options);
  return { ...played, mistake: null, spent: model.spent, gaveUp: model.failure };
}

export const reactAgent = (
  model: ChatModel,
  maxCalls: number,
  verbosity: PlayOptions['verbosity'] = undefined,
): ModelAgent => new ReactAgent({ model, maxCalls, ...(verbosity && { verbosity }) });
