// Agent-to-agent: the agent loses some of its apps. Each is replaced by an expert with one tool, to whom the agent writes what it wants;
// the expert has the app's tools, and its writes are logged and judged as usual. The host chooses the expert, a model or a program.
import { StatelessApp } from '../app.ts';
import { PendingAnswer } from '../pending.ts';
import { exception, type PythonError } from '../python-error.ts';
import { toolsOf } from '../tool.ts';
import type { App, Tool, World } from '../types.ts';
import { seededDraws } from '../world.ts';

/** Carries out a task with an app's tools and reports the result. `now`: simulated seconds since 1970. */
export type Expert = (task: string, app: App, now: number) => Promise<string>;

/** Apps that the agent never loses. */
const OWN: readonly string[] = ['InternalContacts', 'AgentUserInterface', 'SystemApp'];

/** Names of the apps that experts get: a share of those that can be given to experts, rounded down, drawn without replacement. */
export function expertApps(apps: readonly App[], share: number, seed: number): string[] {
  const left = apps.filter(({ className }) => !OWN.includes(className)).map(({ name }) => name);
  const draws = seededDraws(seed, 'agent to agent');
  const count = Math.trunc(left.length * share);
  return Array.from({ length: count }, () => left.splice(draws.randint(0, left.length - 1), 1)[0] as string);
}

class AppAgent extends StatelessApp {
  readonly tools: readonly Tool[] = [EXPERT];
  private answer: { task: string; text: string } | { task: string; error: PythonError } | null = null;

  constructor(
    private readonly app: App,
    private readonly expert: Expert,
  ) {
    super('AppAgent', app.name);
  }

  /** Throws PendingAnswer until the expert has answered; then the call is repeated. */
  answered(task: string): string {
    const answer = this.answer;
    if (answer?.task !== task) {
      throw new PendingAnswer(async () => {
        try {
          this.answer = { task, text: await this.expert(task, this.app, this.world.now()) };
        } catch (error) {
          this.answer = { task, error: exception((error as Error).message) };
        }
      });
    }
    this.answer = null;
    if ('error' in answer) throw answer.error;
    return answer.text;
  }

  override reset(): void {
    this.answer = null;
  }
}

const EXPERT = toolsOf<AppAgent>()({
  name: 'expert_agent',
  operation: 'READ',
  returns: 'str',
  params: { task: { type: 'str', about: 'What is to be done, in words; the expert knows nothing else of it.' } },
  about: 'Has an expert of this app do something, and returns what the expert says.',
  run: (app, { task }) => app.answered(task),
});

/** Expert apps by the names of the apps that they replace. The original apps stay in the world. */
export function appAgents(world: World, names: readonly string[], expert: Expert): Map<string, App> {
  return new Map(
    names.flatMap((name) => {
      const app = world.app(name);
      if (!app) return [];
      const agent = new AppAgent(app, expert);
      agent.attach(world);
      return [[name, agent] as const];
    }),
  );
}
