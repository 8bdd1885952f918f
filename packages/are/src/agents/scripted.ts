// Agents without a model, as controls: the oracle, the oracle with one mistake, random tool calls, and no action at all.
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

/** Arguments of an oracle's action; null if the action is left out. */
export type Tampering = (event: OracleEvent, args: Args) => Args | null;

/** Repeats the oracle's actions in order and with their delays; waits for the events that the next action depends on. */
export class OracleAgent implements Agent {
  readonly name: string = 'oracle';
  private readonly plan: OracleEvent[];
  /** Index of the first event of the plan that is neither done nor left out. */
  private next = 0;
  private readonly done = new Map<string, { time: number; value: Value }>();
  private readonly happened = new Map<string, number>();
  /** Number of the log's events that `happened` includes. */
  private read = 0;
  /** Ids of a turn's environment and user events, which must happen before the message that ends the turn. */
  private readonly awaited = new Map<number, string[]>();
  private doing: OracleEvent | null = null;

  /** @param events of a scenario that has not been run, since a run changes their graph */
  constructor(
    events: readonly ScenarioEvent[],
    private readonly oracle: Oracle,
    private readonly tamper: Tampering = (_, args) => args,
  ) {
    const byId = new Map(events.map((event) => [event.id, event]));
    this.plan = oracle.log.flatMap(({ id }) => {
      const event = byId.get(id);
      return event?.kind === 'oracle' ? [event] : [];
    });
    // A turn that ends before its environment's events would miss them.
    for (const { id } of oracle.log) {
      const turn = oracle.turnOf.get(id);
      if (byId.get(id)?.kind !== 'action' || turn === undefined) continue;
      const ofTurn = this.awaited.get(turn);
      if (ofTurn) ofTurn.push(id);
      else this.awaited.set(turn, [id]);
    }
  }

  act(view: AgentView): { action: AgentAction } {
    if (this.doing !== null) {
      const value = view.outcome && 'value' in view.outcome ? view.outcome.value : null;
      this.done.set(this.doing.id, { time: view.now, value });
      this.doing = null;
    }
    while (this.done.has(this.plan[this.next]?.id ?? '')) this.next++;
    const next = this.plan[this.next];
    if (next === undefined) return { action: { kind: 'idle' } };
    const due = this.dueTime(next, view);
    if (due === null) return { action: wait(STEP) };
    if (due > view.callTime) return { action: wait(due - view.callTime) };
    const args = this.tamper(
      next,
      resolvePlaceholders(next.args, (id) => this.completed(id, view)),
    );
    if (args === null) {
      this.done.set(next.id, { time: view.now, value: null });
      return this.act({ ...view, outcome: null });
    }
    this.doing = next;
    return { action: { kind: 'call', app: next.appName, tool: next.functionName, args } };
  }

  /** Time at which the oracle acts; null while an event that it depends on has not happened. */
  private dueTime(event: OracleEvent, { log }: AgentView): number | null {
    const logged = log.inOrder();
    for (const { id, time } of logged.slice(this.read)) this.happened.set(id, time);
    this.read = logged.length;
    const timeOf = (id: string) => this.done.get(id)?.time ?? this.happened.get(id);
    const awaited = this.awaited.get(this.oracle.turnOf.get(event.id) ?? 0) ?? [];
    if (event.functionName === 'send_message_to_user' && awaited.some((id) => timeOf(id) === undefined)) return null;
    if (event.time !== null) return event.time;
    const times = event.dependencies.map(({ id }) => timeOf(id));
    if (times.some((time) => time === undefined)) return null;
    return Math.max(...(times as number[])) + (event.delay ?? 0);
  }

  private completed(id: string, { log }: AgentView): CompletedEvent | undefined {
    const own = this.done.get(id);
    return own ? { type: 'AGENT', id, ...own, action: null, error: null } : log.find(id);
  }
}

/** Seconds between checks for events without a notification. */
const STEP = 5;

/** Calls tools of the apps with arguments of the right types, and writes to the user after `callsATurn` calls. */
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
