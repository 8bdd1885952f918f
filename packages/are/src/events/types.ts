// Events of a scenario. They are linked both ways into a graph: an event is due its delay after the last of its dependencies. A run changes
// the graph (times, replaced conditions), so each run builds its own.
import type { App, Tool } from '../types.ts';
import type { Args } from '../value.ts';
import type { EventLog, EventType } from './completed.ts';

/** Comparison of an oracle event's time with the agent's; EQUAL by default. */
export const COMPARATORS = ['LESS_THAN', 'GREATER_THAN', 'EQUAL'] as const;
export type Comparator = (typeof COMPARATORS)[number];

/** A run as a condition sees it, and may change it. */
export interface RunView {
  readonly log: EventLog;
  now(): number;
  pause(): void;
  resume(): void;
  stop(): void;
}

interface Linked {
  readonly type: EventType;
  id: string;
  /** Simulated seconds since 1970; null until it is scheduled. */
  time: number | null;
  /** Seconds after the last dependency, or after the start. */
  delay: number | null;
  successors: ScenarioEvent[];
  dependencies: ScenarioEvent[];
}

/** An argument in a scenario file: a text, and the name of its Python type. */
export interface DescribedArg {
  readonly name: string;
  readonly value: string | null;
  readonly value_type: string | null;
}

/** A call by the environment or the user. */
export interface ActionEvent extends Linked {
  readonly kind: 'action';
  readonly type: 'ENV' | 'USER' | 'AGENT';
  readonly app: App;
  readonly tool: Tool;
  /** Arguments as given; a string `{{event.key}}` is replaced when the event is due. */
  readonly args: Args;
}

/** An action of a perfect agent; it takes effect only when the oracle itself is played. */
export interface OracleEvent extends Linked {
  readonly kind: 'oracle';
  readonly type: 'AGENT';
  readonly appName: string;
  readonly functionName: string;
  readonly args: Args;
  /** The arguments as in the scenario file. */
  readonly described: readonly DescribedArg[];
  readonly comparator: Comparator | null;
}

/** Is checked repeatedly until it is true; its successors are due from then on. */
export interface ConditionEvent extends Linked {
  readonly kind: 'condition';
  readonly type: 'CONDITION';
  readonly name: string;
  readonly predicate: (run: RunView) => boolean;
  readonly everyTicks: number;
  /** Ticks; null: unlimited. */
  readonly timeout: number | null;
  /** Number of checks so far. */
  checks: number;
}

export type Predicate = { readonly name: string; holds(): boolean };

/** Milestones must be met within the timeout, minefields never. Created only in code, since scenario files have none. */
export interface ValidationEvent extends Linked {
  readonly kind: 'validation';
  readonly type: 'VALIDATION';
  milestones: readonly Predicate[];
  readonly minefields: readonly Predicate[];
  readonly everyTicks: number;
  readonly timeout: number | null;
  checks: number;
}

export interface StopEvent extends Linked {
  readonly kind: 'stop';
  readonly type: 'STOP';
}

export type ScenarioEvent = ActionEvent | OracleEvent | ConditionEvent | ValidationEvent | StopEvent;

/** Whether an event ends a turn: the oracle's message to the user does. */
export const endsTurn = (event: ScenarioEvent): boolean =>
  event.kind === 'oracle' && event.appName === 'AgentUserInterface' && event.functionName === 'send_message_to_user';
