// A folder's model as an agent in the compact language; and as the expert of an app, who is told in words what is wanted and answers by
// the message that would have gone to the user.
import type { AgentView } from '../../environments/are/agents/types.ts';
import type { Expert } from '../../environments/are/augment/app-agents.ts';
import { pythonErrorOf } from '../../environments/are/python-error.ts';
import type { App } from '../../environments/are/types.ts';
import type { CommandContext } from '../command.ts';
import { LanguageAgent, type LanguageModelParts } from './language-agent.ts';
import type { ModelFlags } from './model-flags.ts';
import type { OpenedAgent } from './players.ts';
import { openWriter } from './writer.ts';

/** Calls of an expert for one task. */
const EXPERT_CALLS = 9;

export async function openLanguageAgent(
  flags: ModelFlags & { readonly model: string },
  context: Pick<CommandContext, 'root' | 'progress' | 'signal'>,
): Promise<OpenedAgent> {
  const { generate, config, words, endTokens, free } = await openWriter(flags, context);
  const { temperature, 'max-calls': maxCalls } = flags;
  const parts: LanguageModelParts = {
    ...{ generate, codec: words.codec, endTokens, positions: config.maxPositions },
    ...{ temperature, maxCalls, signal: context.signal },
  };
  return {
    name: flags['model-name'] ?? flags.model,
    seeded: (seed) => new LanguageAgent(parts, seed),
    expert: (seed) => expertOf(parts, seed),
    free,
  };
}

const MESSAGE = 'send_message_to_user';
/** What an expert ends with: its answer, which goes to the agent and nowhere else. */
const ANSWERS = {
  name: 'AgentUserInterface',
  className: 'AgentUserInterface',
  tools: [],
  tool: (name: string) =>
    name === MESSAGE ? { name, roles: ['agent'], params: [{ name: 'content', type: 'str' }] } : undefined,
} as unknown as App;

function expertOf(parts: LanguageModelParts, seed: number): Expert {
  let asked = 0;
  return async (task, app) => {
    const agent = new LanguageAgent(parts, 1000 * (seed + 1) + asked++);
    let outcome: AgentView['outcome'] = null;
    for (let call = 0; call < EXPERT_CALLS; call++) {
      const messages = call === 0 ? [{ kind: 'USER_MESSAGE', text: task }] : [];
      const { action } = await agent.act({ messages, outcome, apps: [app, ANSWERS] } as unknown as AgentView);
      if (action.kind === 'idle') return '';
      if (action.tool === MESSAGE) return String(action.args.content);
      try {
        outcome = { value: app.call(action.tool, action.args) };
      } catch (raised) {
        const error = pythonErrorOf(raised);
        if (error === null) throw raised;
        outcome = { error };
      }
    }
    return '';
  };
}
