// Who plays: an agent without a model, by its name, or one with the model that is named: one that thinks and acts by turns, or one in
// the compact language.

import {
  type Played,
  type PlayOptions,
  playScripted,
  playWith,
  SCRIPTED_AGENTS,
} from '@projected-grpo-lab/are/agents/play.ts';
import { ReactAgent } from '@projected-grpo-lab/are/agents/react/react.ts';
import { traceOfRun } from '@projected-grpo-lab/are/agents/trace.ts';
import type { Agent, Exchange } from '@projected-grpo-lab/are/agents/types.ts';
import type { Expert } from '@projected-grpo-lab/are/augment/app-agents.ts';
import { type ToolWords, withToolWords } from '@projected-grpo-lab/are/augment/tool-names.ts';
import type { ChatModel } from '@projected-grpo-lab/are/chat-model.ts';
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Thinking } from '../../text/thinking.ts';
import { refuseUnused } from '../model/prompts.ts';
import type { ModelFlags } from './model-flags.ts';

/** `react`: thinks and acts by turns, in JSON. `language`: writes the compact language. */
export const AGENTS = [...SCRIPTED_AGENTS, 'react', 'language'] as const;
export type AgentName = (typeof AGENTS)[number];

/** What a run took of its model. */
interface SpentTokens {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** An agent with a model, for one run. */
interface ModelAgent extends Agent {
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

export interface PlayedBy extends Played {
  /** null: without a model. */
  readonly spent: SpentTokens | null;
  /** What it asked of it. */
  readonly exchanges: readonly Exchange[] | null;
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
    return { ...(await playScripted(trace, agent, options)), spent: null, exchanges: null, gaveUp: null };
  if (model === null) throw new Error('An agent with a model was asked for without one.');
  const played = await playWith(trace, words ? withToolWords(model, words) : model, options);
  const { spent, exchanges, failure } = model;
  return { ...played, mistake: null, spent, exchanges, gaveUp: failure };
}

/** Who plays where none was named, or whether who was named can. Throws SpecError: a model is never named for nothing. */
export function agentOf(
  named: AgentName | null,
  flags: Pick<ModelFlags, 'model' | 'endpoint'> & Partial<ModelFlags>,
): AgentName {
  const { model, endpoint } = flags;
  const asks = named === 'react' || named === 'language';
  if (named === null && endpoint !== null) return 'react';
  if (named === null && model !== null)
    throw new SpecError('A model is named, and not how it plays.', 'Add --agent react, or --agent language.');
  if (named !== null && !asks && (model !== null || endpoint !== null))
    throw new SpecError(`The agent ${named} asks no model, and one is named.`, 'Give --agent react, or leave it out.');
  if (named === 'language' && endpoint !== null)
    throw new SpecError('The compact language is played by a folder’s model.', 'Give --agent react with --endpoint.');
  if (!asks) refuseUnused(flags, `the agent ${named ?? 'oracle'} asks no model`);
  return named ?? 'oracle';
}

/** A run as a file. */
export const tracedRun = (
  trace: Trace,
  agent: AgentName,
  model: string | null,
  { run, environment, verdict, exchanges }: PlayedBy,
): Trace =>
  traceOfRun(trace, {
    agent,
    run,
    verdict,
    log: environment.log.list(),
    model: exchanges === null ? null : { name: model, exchanges },
  });

export const reactAgent = (
  model: ChatModel,
  maxCalls: number,
  verbosity: PlayOptions['verbosity'] = undefined,
): ModelAgent => new ReactAgent({ model, maxCalls, ...(verbosity && { verbosity }) });
