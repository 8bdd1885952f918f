// Builds a scenario event by event: the user's messages, the oracle's actions and their dependencies, and the events of the environment.
import type { Trace, TraceEvent } from '../scenario/schema.ts';
import { TRACE_VERSION } from '../scenario/schema.ts';
import type { Value, Values } from '../value.ts';
import { phoneOf } from './phone.ts';
import type { Universe } from './universe.ts';

/** Default delay of an event in simulated seconds. */
const SOON = 1;
const DURATION = 1800;

/** The dependencies of an event, and simulated seconds after them. */
export interface When {
  after?: readonly string[];
  delay?: number;
  /** Makes the oracle's delay a latest or an earliest one, instead of an exact one. */
  comparator?: 'LESS_THAN' | 'GREATER_THAN';
}

export class Draft {
  readonly events: TraceEvent[] = [];
  /** The last messages between user and agent, on which an event depends by default. */
  private anchor: string[] = [];
  /** Ids of the oracle's events since those messages. */
  private done: string[] = [];
  private counts = { user: 0, oracle: 0, env: 0 };

  constructor(private universe: Universe) {}

  /** Replaces the universe, for tasks that need a slightly different one. */
  happensIn(universe: Universe): void {
    this.universe = universe;
  }

  /** Adds a message of the user, after the agent's last message. */
  user(content: string, delay = SOON): string {
    const isFirst = this.anchor.length === 0;
    const id = this.add(
      'USER',
      `user_${++this.counts.user}`,
      'AgentUserInterface',
      'send_message_to_agent',
      { content },
      { after: this.anchor, delay: isFirst ? 0 : delay },
    );
    this.anchor = [id];
    return id;
  }

  /** Adds a call of the oracle. Without `after` it comes once the turn has begun, independent of its other calls. */
  oracle(app: string, tool: string, args: Values, when: When = {}): string {
    const id = this.add('AGENT', `oracle_${++this.counts.oracle}`, app, tool, args, { after: this.anchor, ...when });
    this.done.push(id);
    return id;
  }

  /** Adds the oracle's message to the user, after all its other calls, which ends the turn. */
  tell(content: string, when: When = {}): string {
    const after = this.done.length > 0 ? this.ends() : this.anchor;
    const id = this.add(
      'AGENT',
      `oracle_${++this.counts.oracle}`,
      'AgentUserInterface',
      'send_message_to_user',
      { content },
      { after, ...when },
    );
    this.anchor = [id];
    this.done = [];
    return id;
  }

  /** Adds an event of the environment, by default after the last message. Later events come after it by default. */
  world(app: string, tool: string, args: Values, when: When = {}): string {
    const id = this.add('ENV', `world_${++this.counts.env}`, app, tool, args, { after: this.anchor, ...when });
    this.anchor = [id];
    return id;
  }

  /** The oracle's calls in this turn that no other event depends on. */
  private ends(): string[] {
    const before = new Set(this.events.flatMap(({ dependencies }) => dependencies));
    return this.done.filter((id) => !before.has(id));
  }

  private add(type: TraceEvent['event_type'], id: string, app: string, tool: string, args: Values, when: When): string {
    this.events.push({
      class_name: type === 'AGENT' ? 'OracleEvent' : 'Event',
      event_type: type,
      event_time: null,
      event_id: id,
      dependencies: [...(when.after ?? [])],
      event_relative_time: when.delay ?? SOON,
      action: {
        action_id: id,
        app,
        function: tool,
        operation_type: null,
        args: Object.entries(args).map(([name, value]) => ({ name, ...written(value) })),
      },
      ...(type === 'AGENT' && { event_time_comparator: when.comparator ?? null }),
    });
    return id;
  }

  trace(id: string, seed: number, tag: string): Trace {
    return {
      version: TRACE_VERSION,
      metadata: {
        definition: {
          scenario_id: id,
          seed,
          duration: DURATION,
          time_increment_in_seconds: 1,
          start_time: this.universe.start,
          hints: [],
          tags: [tag],
          has_a2a_augmentation: false,
          has_tool_augmentation: false,
          has_env_events_augmentation: false,
          has_exception: false,
        },
      },
      world_logs: [],
      apps: phoneOf(this.universe),
      events: this.events,
      completed_events: [],
    };
  }
}

/** An argument in the format of files: a text with its type. */
function written(value: Value): { value: string; value_type: string } {
  if (typeof value === 'string') return { value, value_type: 'str' };
  if (typeof value === 'number') return { value: String(value), value_type: Number.isInteger(value) ? 'int' : 'float' };
  return { value: JSON.stringify(value), value_type: Array.isArray(value) ? 'list' : 'dict' };
}

/** A placeholder for an event's result, as an argument of a later one. */
export const resultOf = (id: string): string => `{{${id}}}`;
