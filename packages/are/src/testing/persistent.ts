// An agent that acts as another one but repeats calls that failed by noise, as an agent would after reading "retry later".
import type { Agent, AgentAction } from '../agents/types.ts';

export function persistent(agent: Agent): Agent {
  let last: AgentAction | null = null;
  return {
    name: agent.name,
    async act(view) {
      const { outcome } = view;
      const hasFailed = outcome !== null && 'error' in outcome && outcome.error.message.endsWith('Retry again later');
      if (hasFailed && last !== null) return { action: last };
      const made = await agent.act(view);
      last = made.action;
      return made;
    },
  };
}
