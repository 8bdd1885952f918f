// An agent with a model, as the worker runs it: the host answers one question for each act. Acts that are already given (an edit, or an act
// of an earlier run) are not requested.
import { type ImposedAct, reactWithImposed } from '@projected-grpo-lab/are/agents/given.ts';
import { ReactAgent } from '@projected-grpo-lab/are/agents/react/react.ts';
import type { Agent, Exchange } from '@projected-grpo-lab/are/agents/types.ts';
import { type ChatTurn, PromptTooLong } from '@projected-grpo-lab/are/chat-model.ts';
import { LanguageAgent, OWN_AGENTS } from '../../environments/agents/live.ts';
import { type AgentsHost, isOwnAgent, type ModelAgentName, type PlayedRun, type Recipe } from '../protocol/agents.ts';
import { actionOf } from './edits.ts';

/** Most tokens of an answer; the small agent's answers are short. */
const MOST_NEW = {
  'tiny-agent': 48,
  'tiny-agent-forms': 64,
  react: 512,
  'react-onnx': 512,
  'react-endpoint': 2048,
} as const;

export interface ModelAgent {
  readonly agent: Agent;
  /** An agent with the same model and only one app's tools, for the n-th task. */
  expert(task: number): Agent;
  /** The model's name, cost and exchanges, after the run. */
  played(): NonNullable<PlayedRun['model']> & { readonly exchanges: readonly Exchange[] };
}

/** @param act returns the index of the current act. Throws SpecError for acts that cannot be parsed, and the host's own errors. */
export async function modelAgent(
  name: ModelAgentName,
  { known, seed, temperature }: Recipe,
  host: Pick<AgentsHost, 'ready' | 'write'>,
  act: () => number,
): Promise<ModelAgent> {
  const acts = known?.acts.map((act) => (act === null ? ({ kind: 'idle' } as const) : actionOf(act))) ?? [];
  const isReplay = known !== null && !known.goesOn;
  const given: ImposedAct = (act) => acts[act] ?? (isReplay ? { kind: 'idle' } : null);
  const model = isReplay ? name : await host.ready({ agent: name });
  let questions = 0;
  const write = async (ask: string | readonly ChatTurn[], stops: readonly string[]) => {
    const found = await host.write({
      act: act(),
      agent: name,
      ask,
      stops,
      temperature,
      maxNew: MOST_NEW[name],
      // Each question has its own seed, so repeated words may be answered differently.
      seed: seed * 1000 + questions++,
    });
    if ('tooLong' in found) throw new PromptTooLong(found.tooLong);
    return found;
  };
  if (isOwnAgent(name)) {
    const writing = { name: model, write: (prompt: string) => write(prompt, []) };
    const own = new LanguageAgent(writing, given, OWN_AGENTS[name]);
    return {
      agent: own,
      expert: () => new LanguageAgent(writing, () => null, OWN_AGENTS[name]),
      played: () => ({ name: model, spent: own.spent, gaveUp: own.failure, exchanges: [] }),
    };
  }
  const answer = async (turns: readonly ChatTurn[], { stop }: { readonly stop: readonly string[] }) => ({
    ...(await write(turns, stop)),
    seconds: 0,
  });
  const { agent, react } = reactWithImposed({ model: { name: model, answer } }, given);
  const played = () => ({ name: model, spent: react.spent, gaveUp: react.failure, exchanges: react.exchanges });
  return { agent, expert: () => new ReactAgent({ model: { name: model, answer } }), played: played };
}
