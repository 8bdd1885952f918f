// A model as an app's expert in agent-to-agent: an agent like the main one, given the task and only the app's own tools; its answer is the
// message that it would send to the user.
import type { Agent, AgentView } from '../agents/types.ts';
import { outcomeOf } from '../python-error.ts';
import type { App, Tool } from '../types.ts';
import type { Expert } from './app-agents.ts';

/** Most calls of an expert for one task. */
const EXPERT_CALLS = 9;

// This tool, app and view have only the fields that an agent's prompt uses, since the tool is never run and there is no log. Hence the
// casts.

const MESSAGE = 'send_message_to_user';
const SAY = {
  name: MESSAGE,
  roles: ['agent'],
  params: [{ name: 'content', type: 'str' }],
  returns: 'str | None',
  about: 'Gives your answer to who asked you. This ends the task.',
} as unknown as Tool;

/** App whose message ends an expert's task; the message goes only to the main agent. */
const ANSWERS = {
  name: 'AgentUserInterface',
  className: 'AgentUserInterface',
  tools: [SAY],
  tool: (name: string) => (name === MESSAGE ? SAY : undefined),
} as unknown as App;

/** @param agentFor returns a new agent for the expert's n-th task */
export function expertOf(agentFor: (task: number) => Agent): Expert {
  let tasks = 0;
  return async (task, app, now) => {
    const agent = agentFor(tasks++);
    let outcome: AgentView['outcome'] = null;
    for (let call = 0; call < EXPERT_CALLS; call++) {
      const messages = call === 0 ? [{ kind: 'USER_MESSAGE', text: task }] : [];
      const view = { now, callTime: now, messages, outcome, apps: [app, ANSWERS] };
      const { action } = await agent.act(view as unknown as AgentView);
      if (action.kind === 'idle') return '';
      if (action.tool === MESSAGE) return String(action.args.content);
      outcome = outcomeOf(() => app.call(action.tool, action.args));
    }
    return '';
  };
}
