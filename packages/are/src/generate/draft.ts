// Writes a scenario event by event: what the user says, what the oracle does after what, and what the world does meanwhile.
import type { Trace, TraceEvent } from '../scenario/schema.ts';
import { TRACE_VERSION } from '../scenario/schema.ts';
import type { Value, Values } from '../value.ts';
import { phoneOf } from './phone.ts';
import type { Universe } from './universe.ts';

/** Default of simulated seconds before an event. */
const SOON = 1;
const DURATION = 1800;

/** Event that another comes after, and simulated seconds between them. */
export interface When {
  after?: readonly string[];
  delay?: number;
  /** Says in the oracle whether the delay is a latest or an earliest one, instead of just that one. */
  comparator?: 'LESS_THAN' | 'GREATER_THAN';
}

export class Draft {
  readonly events: TraceEvent[] = [];
  /** The last messages between user and agent: an event without a time comes after these. */
  private anchor: string[] = [];
  /** Ids of the oracle's events since those messages. */
  private done: string[] = [];
  private counts = { user: 0, oracle: 0, env: 0 };

  constructor(private universe: Universe) {}

  /** For tasks that need a universe which is a little different. */
  happensIn(universe: Universe): void {
    this.universe = universe;
  }

  /** The user says something. After the agent's message where there was one. */
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

  /** The oracle writes. Without `after` it does so once the turn has begun, whatever else it does. */
  oracle(app: string, tool: string, args: Values, when: When = {}): string {
    const id = this.add('AGENT', `oracle_${++this.counts.oracle}`, app, tool, args, { after: this.anchor, ...when });
    this.done.push(id);
    return id;
  }

  /** The oracle's message to the user, after all that it has done, ends the turn. */
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

  /** The world does something, after the last message unless it says after what. What follows comes after it. */
  world(app: string, tool: string, args: Values, when: When = {}): string {
    const id = this.add('ENV', `world_${++this.counts.env}`, app, tool, args, { after: this.anchor, ...when });
    this.anchor = [id];
    return id;
  }

  /** Returns what the oracle does last: nothing of its own comes after it. */
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

/** An argument as files carry it: a text, with its type. */
function written(value: Value): { value: string; value_type: string } {
  if (typeof value === 'string') return { value, value_type: 'str' };
  if (typeof value === 'number') return { value: String(value), value_type: Number.isInteger(value) ? 'int' : 'float' };
  return { value: JSON.stringify(value), value_type: Array.isArray(value) ? 'list' : 'dict' };
}

/** Placeholder for an event's result, as an argument of a later one. */
export const resultOf = (id: string): string => `{{${id}}}`;
