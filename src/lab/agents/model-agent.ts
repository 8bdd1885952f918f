// An agent with a model, as the worker plays it: asked for one act after another, each question answered by the host. What is given for an
// act (an edit, what it did in a run of before) is not asked for.
import { type Given, givenReact } from '@projected-grpo-lab/are/agents/given.ts';
import { type ChatTurn, PromptTooLong } from '@projected-grpo-lab/are/agents/react/model.ts';
import type { Agent, Exchange } from '@projected-grpo-lab/are/agents/types.ts';
import { LanguageAgent, OWN_AGENTS } from '../../environments/agents/live.ts';
import { type AgentsHost, isOwnAgent, type ModelAgentName, type PlayedRun, type Recipe } from '../protocol/agents.ts';
import { actionOf } from './edits.ts';

/** Tokens of an answer at most; the small agent's are short. */
const MOST_NEW = { 'tiny-agent': 48, 'tiny-agent-forms': 64, react: 512, 'react-endpoint': 2048 } as const;

export interface ModelAgent {
  readonly agent: Agent;
  /** What it took, once it has played. */
  told(): NonNullable<PlayedRun['model']> & { readonly exchanges: readonly Exchange[] };
}

/** Throws SpecError for acts that cannot be read, and what the host refuses its model with. */
export async function modelAgent(
  name: ModelAgentName,
  { known, seed, temperature }: Recipe,
  host: Pick<AgentsHost, 'ready' | 'write'>,
): Promise<ModelAgent> {
  const acts = known?.acts.map((act) => (act === null ? ({ kind: 'idle' } as const) : actionOf(act))) ?? [];
  const isOnlyKnown = known !== null && !known.goesOn;
  const given: Given = (act) => acts[act] ?? (isOnlyKnown ? { kind: 'idle' } : null);
  const model = isOnlyKnown ? name : await host.ready({ agent: name });
  let act = -1;
  let asked = 0;
  const write = async (ask: string | readonly ChatTurn[], stops: readonly string[]) => {
    const found = await host.write({
      ...{ act, agent: name, ask, stops, temperature, maxNew: MOST_NEW[name] },
      // A question of its own each, so that the same words asked twice may be answered otherwise.
      seed: seed * 1000 + asked++,
    });
    if ('tooLong' in found) throw new PromptTooLong(found.tooLong);
    return found;
  };
  const counting = (agent: Agent): Agent => ({
    name: agent.name,
    act(view) {
      act++;
      return agent.act(view);
    },
  });
  if (isOwnAgent(name)) {
    const own = new LanguageAgent({ name: model, write: (prompt) => write(prompt, []) }, given, OWN_AGENTS[name]);
    return {
      agent: counting(own),
      told: () => ({ name: model, spent: own.spent, gaveUp: own.failure, exchanges: [] }),
    };
  }
  const answer = async (turns: readonly ChatTurn[], { stop }: { readonly stop: readonly string[] }) => ({
    ...(await write(turns, stop)),
    seconds: 0,
  });
  const { agent, react } = givenReact({ model: { name: model, answer } }, given);
  const told = () => ({ name: model, spent: react.spent, gaveUp: react.failure, exchanges: react.exchanges });
  return { agent: counting(agent), told };
}
