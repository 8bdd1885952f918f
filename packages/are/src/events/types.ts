// Events of a scenario. They are linked both ways into a graph: an event is due its delay after the last of those that it depends on. The
// graph is built once for a run and changed by it (times, replaced conditions), so a run makes its own.
import type { App, Tool } from '../types.ts';
import type { Args } from '../value.ts';
import type { EventLog, EventType } from './completed.ts';

/** Comparison of an oracle event's time with the agent's; EQUAL by default. */
export const COMPARATORS = ['LESS_THAN', 'GREATER_THAN', 'EQUAL'] as const;
export type Comparator = (typeof COMPARATORS)[number];

/** A run as a condition sees and may change it. */
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

/** An argument in a scenario file: a text, and Python's name of its type. */
export interface DescribedArg {
  readonly name: string;
  readonly value: string | null;
  readonly value_type: string | null;
}

/** A call that the environment or the user makes. */
export interface ActionEvent extends Linked {
  readonly kind: 'action';
  readonly type: 'ENV' | 'USER' | 'AGENT';
  readonly app: App;
  readonly tool: Tool;
  /** Arguments as given; a string that is `{{event.key}}` is replaced when the event is due. */
  readonly args: Args;
}

/** An act of a perfect agent; nothing happens by it unless the oracle itself is played. */
export interface OracleEvent extends Linked {
  readonly kind: 'oracle';
  readonly type: 'AGENT';
  readonly appName: string;
  readonly functionName: string;
  readonly args: Args;
  /** The arguments as a scenario file has them. */
  readonly described: readonly DescribedArg[];
  readonly comparator: Comparator | null;
}

/** Asks again and again until it is true; what depends on it is due from then. */
export interface ConditionEvent extends Linked {
  readonly kind: 'condition';
  readonly type: 'CONDITION';
  readonly name: string;
  readonly predicate: (run: RunView) => boolean;
  readonly everyTicks: number;
  /** Ticks; null: for ever. */
  readonly timeout: number | null;
  /** Number of its checks so far. */
  checks: number;
}

export type Predicate = { readonly name: string; holds(): boolean };

/** Milestones have to be met within the timeout, minefields never. Made in code alone: it is in no scenario file. */
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
