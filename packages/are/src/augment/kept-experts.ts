// Agent-to-agent in a run that is played again: an expert's acts for a task are stored, so a look at an earlier entry asks no model again,
// and after a changed call the model is asked anew.
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
  /** Must be passed to the run. */
  experts(world: World): Map<string, App>;
  /** Experts by the names of the apps that they replace; empty before the run starts. */
  readonly apps: ReadonlyMap<string, App>;
  readonly tasks: readonly KeptTask[];
}

/**
 * @param agentFor returns a new agent for the n-th task; null beside an agent without a model and in a full replay, where the expert
 * answers nothing
 * @param before recorded tasks, which are used in order
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
