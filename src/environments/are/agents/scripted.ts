// Agents without a model, as controls: one that does what the oracle does, one that does so but for one mistake, one that calls tools
// at random, and one that does nothing.
import type { CompletedEvent } from '../events/completed.ts';
import { resolvePlaceholders } from '../events/placeholders.ts';
import type { OracleEvent, ScenarioEvent } from '../events/types.ts';
import type { App, Tool } from '../types.ts';
import type { Arg, Args, Value } from '../value.ts';
import type { Oracle } from '../verifier/oracle-run.ts';
import { seededDraws } from '../world.ts';
import type { Agent, AgentAction, AgentView } from './types.ts';

export const silentAgent: Agent = { name: 'silent', act: () => ({ action: { kind: 'idle' } }) };

const wait = (seconds: number): AgentAction => ({
  kind: 'call',
  app: 'SystemApp',
  tool: 'wait_for_notification',
  args: { timeout: Math.max(1, Math.ceil(seconds)) },
});

/** What an oracle's event is done as; null: it is left out. */
export type Tampering = (event: OracleEvent, args: Args) => Args | null;

/** Does what the oracle does, in its order and with its delays; waits for what its next action waits for. */
export class OracleAgent implements Agent {
  readonly name: string = 'oracle';
  private readonly plan: OracleEvent[];
  private readonly done = new Map<string, { time: number; value: Value }>();
  private doing: OracleEvent | null = null;

  /** @param events of a scenario that was not run, as their graph is changed by a run */
  constructor(
    private readonly events: readonly ScenarioEvent[],
    private readonly oracle: Oracle,
    private readonly tamper: Tampering = (_, args) => args,
  ) {
    const byId = new Map(events.map((event) => [event.id, event]));
    this.plan = oracle.log.flatMap(({ id }) => {
      const event = byId.get(id);
      return event?.kind === 'oracle' ? [event] : [];
    });
  }

  act(view: AgentView): { action: AgentAction } {
    if (this.doing !== null) {
      const value = view.outcome && 'value' in view.outcome ? view.outcome.value : null;
      this.done.set(this.doing.id, { time: view.now, value });
      this.doing = null;
    }
    const next = this.plan.find(({ id }) => !this.done.has(id));
    if (next === undefined) return { action: { kind: 'idle' } };
    const due = this.dueTime(next, view);
    if (due === null) return { action: wait(STEP) };
    if (due > view.callTime) return { action: wait(due - view.callTime) };
    const args = this.tamper(next, resolvePlaceholders(next.args, this.past(view)));
    if (args === null) {
      this.done.set(next.id, { time: view.now, value: null });
      return this.act({ ...view, outcome: null });
    }
    this.doing = next;
    return { action: { kind: 'call', app: next.appName, tool: next.functionName, args } };
  }

  /** null while something that it waits for has not happened. */
  private dueTime(event: OracleEvent, { log }: AgentView): number | null {
    const happened = new Map(log.list().map(({ id, time }) => [id, time]));
    const timeOf = (id: string) => this.done.get(id)?.time ?? happened.get(id);
    if (event.functionName === 'send_message_to_user' && this.awaited(event).some((id) => timeOf(id) === undefined))
      return null;
    if (event.time !== null) return event.time;
    const times = event.dependencies.map(({ id }) => timeOf(id));
    if (times.some((time) => time === undefined)) return null;
    return Math.max(...(times as number[])) + (event.delay ?? 0);
  }

  /** A turn that ends before its environment's events have happened lacks them. */
  private awaited(message: OracleEvent): string[] {
    const turn = this.oracle.turnOf.get(message.id);
    return this.events
      .filter(({ kind, id }) => kind === 'action' && this.oracle.turnOf.get(id) === turn && this.isInOracleLog(id))
      .map(({ id }) => id);
  }

  private isInOracleLog(id: string): boolean {
    return this.oracle.log.some((event) => event.id === id);
  }

  private past({ log }: AgentView): CompletedEvent[] {
    const own = [...this.done].map(
      ([id, { time, value }]): CompletedEvent => ({ type: 'AGENT', id, time, action: null, value, error: null }),
    );
    return [...own, ...log.list()];
  }
}

/** Seconds between looks at whether something has happened that nothing tells of. */
const STEP = 5;

/** Calls tools of the apps with arguments of the right types, and writes to the user after some. */
export function randomAgent(seed: number, callsATurn = 6): Agent {
  const draws = seededDraws(seed, 'random agent');
  let left = callsATurn;
  const pick = <T>(items: readonly T[]): T => items[draws.randint(0, items.length - 1)] as T;
  const argFor = (type: string): Arg => {
    if (type.includes('None') && draws.random() < 0.5) return null;
    if (type.startsWith('str')) return pick(['x', 'INBOX', 'Default', '2024-10-18 18:00:00', 'a@x.org']);
    if (type.startsWith('int')) return draws.randint(0, 3);
    if (type.startsWith('float')) return draws.random();
    if (type.startsWith('bool')) return draws.random() < 0.5;
    return type.startsWith('list') ? [] : {};
  };
  const argsFor = (tool: Tool): Args =>
    Object.fromEntries(
      tool.params
        .filter((param) => param.default === undefined || draws.random() < 0.5)
        .map(({ name, type }) => [name, argFor(type)]),
    );
  const callable = (apps: readonly App[]) =>
    apps
      .filter(({ className }) => className !== 'AgentUserInterface' && className !== 'SystemApp')
      .flatMap((app) => app.tools.filter(({ roles }) => roles.includes('agent')).map((tool) => ({ app, tool })));
  return {
    name: 'random',
    act: ({ apps }) => {
      const choices = callable(apps);
      if (left-- > 0 && choices.length > 0) {
        const { app, tool } = pick(choices);
        return { action: { kind: 'call', app: app.name, tool: tool.name, args: argsFor(tool) } };
      }
      left = callsATurn;
      return {
        action: { kind: 'call', app: 'AgentUserInterface', tool: 'send_message_to_user', args: { content: 'Done.' } },
      };
    },
  };
}
