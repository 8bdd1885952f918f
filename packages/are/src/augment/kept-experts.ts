// Agent-to-agent in a run that is played again: what an expert did for a task is kept, so that a look at an earlier entry asks no model a
// second time, and a call that is made otherwise is asked anew from there on alone.
import { ReplayAgent } from '../agents/replay.ts';
import type { Agent, AgentAct } from '../agents/types.ts';
import type { App, World } from '../types.ts';
import { appAgents, type Expert, expertApps } from './app-agents.ts';
import { expertOf } from './expert.ts';

export interface KeptTask {
  /** Index of the agent's act that called the expert. */
  readonly act: number;
  readonly app: string;
  readonly task: string;
  readonly acts: readonly AgentAct[];
}

export interface Experts {
  /** Must be given to the run. */
  experts(world: World): Map<string, App>;
  /** Experts by the name of the app that each stands for; empty before the run has begun. */
  readonly apps: ReadonlyMap<string, App>;
  readonly tasks: readonly KeptTask[];
}

/**
 * @param agentFor a new agent for the n-th task; null beside an agent without a model, and where all is played again: it answers nothing
 * @param before what is taken as it was done before, in order
 */
export function openExperts(
  { a2a, seed }: { readonly a2a: number; readonly seed: number },
  agentFor: ((task: number) => Agent) | null,
  before: readonly KeptTask[],
  act: () => number,
): Experts {
  const tasks: KeptTask[] = [];
  let apps: ReadonlyMap<string, App> = new Map();
  let given = before;
  const expert: Expert = (task, app, now) => {
    const [next, ...rest] = given;
    const isKnown = next?.task === task && next.app === app.name;
    given = isKnown ? rest : [];
    const number = tasks.length;
    const acts: AgentAct[] = [];
    tasks.push({ act: act(), app: app.name, task, acts });
    const agent = isKnown ? new ReplayAgent(next.acts) : (agentFor?.(number) ?? new ReplayAgent([]));
    const kept: Agent = {
      name: agent.name,
      async act(view) {
        const found = await agent.act(view);
        acts.push({ action: found.action, seconds: 0 });
        return found;
      },
    };
    return expertOf(() => kept)(task, app, now);
  };
  return {
    experts(world) {
      const found = appAgents(world, expertApps(world.apps, a2a, seed), expert);
      apps = found;
      return found;
    },
    get apps() {
      return apps;
    },
    tasks,
  };
}
