// What may happen in a scenario. Events are linked both ways into a graph: an event is due its delay after the last of those that it
// depends on. The graph is built once for a run and changed by it (times, replaced conditions), so a run makes its own.
import type { App, Tool } from '../types.ts';
import type { Args } from '../value.ts';

export const EVENT_TYPES = ['AGENT', 'ENV', 'CONDITION', 'VALIDATION', 'USER', 'STOP'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** How an oracle event's time is compared with the agent's; EQUAL where none is said. */
export const COMPARATORS = ['LESS_THAN', 'GREATER_THAN', 'EQUAL'] as const;
export type Comparator = (typeof COMPARATORS)[number];

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

/** A call that the environment or the user makes. */
export interface ActionEvent extends Linked {
  readonly kind: 'action';
  readonly type: 'ENV' | 'USER' | 'AGENT';
  readonly app: App;
  readonly tool: Tool;
  /** As given; a string that is `{{event.key}}` is replaced when the event is due. */
  readonly args: Args;
}

/** What a perfect agent does; nothing happens by it unless the oracle itself is played. */
export interface OracleEvent extends Linked {
  readonly kind: 'oracle';
  readonly type: 'AGENT';
  readonly appName: string;
  readonly functionName: string;
  readonly args: Args;
  readonly comparator: Comparator | null;
}

/** Asks again and again until it is true; what depends on it is due from then. */
export interface ConditionEvent extends Linked {
  readonly kind: 'condition';
  readonly type: 'CONDITION';
  readonly name: string;
  readonly predicate: () => boolean;
  readonly everyTicks: number;
  /** Ticks; null: for ever. */
  readonly timeout: number | null;
  /** Asked so often so far. */
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

/** What ends a turn: the oracle's message to the user. */
export const endsTurn = (event: ScenarioEvent): boolean =>
  event.kind === 'oracle' && event.appName === 'AgentUserInterface' && event.functionName === 'send_message_to_user';
