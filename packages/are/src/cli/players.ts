// The agent that plays: one without a model, by name, or one with the named model, which uses ReAct or the compact language.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { type Played, type PlayOptions, playScripted, playWith, SCRIPTED_AGENTS } from '../agents/play.ts';
import { ReactAgent } from '../agents/react/react.ts';
import { traceOfRun } from '../agents/trace.ts';
import type { Exchange } from '../agents/types.ts';
import { type ToolWords, withToolWords } from '../augment/tool-names.ts';
import type { ChatModel } from '../chat-model.ts';
import type { Trace } from '../scenario/schema.ts';
import type { Host, ParsedFlags } from './host.ts';
import type { ModelFlags } from './model-flags.ts';
import type { AgentName, ModelAgent, SpentTokens } from './opened.ts';

export const agentsOf = ({ models }: Host): AgentName[] => [...SCRIPTED_AGENTS, 'react', ...models.agents];

export interface PlayedBy extends Played {
  /** Null without a model. */
  readonly spent: SpentTokens | null;
  /** Calls of the model, with its answers. */
  readonly exchanges: readonly Exchange[] | null;
  /** Why an agent with a model gave up. */
  readonly gaveUp: string | null;
}

/** @param words names and descriptions of the tools for an agent with a model; null for the original ones */
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

/** The playing agent, default or named. Throws SpecError if it cannot play, or if a named model would not be used. */
export function agentOf(
  host: Host,
  named: AgentName | null,
  flags: Pick<ModelFlags, 'endpoint' | 'answers'> & Partial<ModelFlags>,
): AgentName {
  const { model = null, endpoint, answers } = flags;
  const other = endpoint ?? answers;
  const asks = named === 'react' || named === 'language';
  if (named === null && other !== null) return 'react';
  if (named === null && model !== null)
    throw new SpecError('A model is named, and not how it plays.', 'Add --agent react, or --agent language.');
  if (named !== null && !asks && (model ?? other) !== null)
    throw new SpecError(`The agent ${named} asks no model, and one is named.`, 'Give --agent react, or leave it out.');
  if (named === 'language' && other !== null)
    throw new SpecError('The compact language is played by a folder’s model.', 'Give --agent react with it.');
  const unread = asks ? [] : modelFlagsIn(host, flags);
  if (unread.length > 0)
    throw new SpecError(
      `${unread.join(', ')}: the agent ${named ?? 'oracle'} asks no model.`,
      `Leave ${unread.length > 1 ? 'them' : 'it'} out.`,
    );
  return named ?? 'oracle';
}

/** Given flags for prompts and for parsing a model's texts. */
const modelFlagsIn = ({ models }: Host, flags: Partial<ModelFlags>): string[] => [
  ...models.promptFlagsIn(flags as ParsedFlags),
  ...((flags.thinking ?? null) === null ? [] : ['--thinking']),
];

/** The trace of a run. */
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
