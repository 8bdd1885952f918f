// Who plays: an agent without a model, by its name, or one that thinks and acts by turns with the model that is named.

import {
  type Played,
  type PlayOptions,
  playScripted,
  playWith,
  SCRIPTED_AGENTS,
} from '../../environments/are/agents/play.ts';
import type { ChatModel, Spent } from '../../environments/are/agents/react/model.ts';
import { ReactAgent } from '../../environments/are/agents/react/react.ts';
import type { Trace } from '../../environments/are/scenario/schema.ts';

export const AGENTS = [...SCRIPTED_AGENTS, 'react'] as const;
export type AgentName = (typeof AGENTS)[number];

export interface PlayedBy extends Played {
  /** null: without a model. */
  readonly spent: Spent | null;
  /** Why an agent with a model gave up. */
  readonly gaveUp: string | null;
}

export async function playAs(
  agent: AgentName,
  trace: Trace,
  options: PlayOptions,
  model: ChatModel | null,
  maxCalls: number,
): Promise<PlayedBy> {
  if (agent !== 'react') return { ...(await playScripted(trace, agent, options)), spent: null, gaveUp: null };
  if (model === null) throw new Error('An agent with a model was asked for without one.');
  const react = new ReactAgent({ model, maxCalls, ...(options.verbosity && { verbosity: options.verbosity }) });
  const played = await playWith(trace, react, options);
  return { ...played, mistake: null, spent: react.spent, gaveUp: react.failure };
}
