// Events that have happened: the entries of the event log, which the verifier reads and placeholders refer to.
import { Heap } from '../heap.ts';
import type { PythonError } from '../python-error.ts';
import type { Operation } from '../types.ts';
import type { Args, Value } from '../value.ts';

/** The origin or kind of an event. */
export const EVENT_TYPES = ['AGENT', 'ENV', 'CONDITION', 'VALIDATION', 'USER', 'STOP'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

interface CompletedAction {
  readonly appName: string;
  readonly className: string;
  readonly functionName: string;
  readonly operation: Operation | null;
  /** Arguments as given; an agent's call includes the defaults. */
  readonly args: Args;
  /** Arguments with placeholders replaced; empty if a call was made directly. */
  readonly resolved: Args;
}

export interface CompletedEvent {
  readonly type: EventType;
  /** Becomes the oracle's id once the verifier has matched the event and its turn has passed, so that placeholders find it. */
  id: string;
  readonly time: number;
  /** Null for a condition or a validation. */
  readonly action: CompletedAction | null;
  readonly value: Value;
  readonly error: Pick<PythonError, 'kind' | 'message'> | null;
}

/** The arguments of the actual call. */
export const argsOf = ({ action }: CompletedEvent): Args =>
  action === null ? {} : Object.keys(action.resolved).length > 0 ? action.resolved : action.args;

/** A tool's name with its app's class instead of the app's name, as the verifier and notifications use it. */
export const toolNameOf = ({ action, type }: CompletedEvent): string =>
  action === null ? type : `${action.className}__${action.functionName}`;

export const isMessageToUser = ({ type, action }: CompletedEvent): boolean =>
  type === 'AGENT' && action?.className === 'AgentUserInterface' && action.functionName === 'send_message_to_user';

export class EventLog {
  private readonly heap = new Heap<CompletedEvent>((a, b) => a.time < b.time);
  private sortedView: CompletedEvent[] | null = null;
  private readonly byPut: CompletedEvent[] = [];
  /** Number of the agent's messages to the user in the log. */
  messagesToUser = 0;

  get size(): number {
    return this.heap.size;
  }

  put(event: CompletedEvent): void {
    this.heap.push(event);
    this.byPut.push(event);
    if (isMessageToUser(event)) this.messagesToUser++;
    this.sortedView = null;
  }

  /** Events by time; ties in the order of the heap. Returns the entries themselves, not copies. */
  list(): readonly CompletedEvent[] {
    this.sortedView ??= this.heap.sorted();
    return this.sortedView;
  }

  /** The first event with an id, by time. A linear search is cheaper than sorting. */
  find(id: string): CompletedEvent | undefined {
    const found = this.byPut.filter((event) => event.id === id);
    return found.length > 1 ? this.list().find((event) => event.id === id) : found[0];
  }

  /** Events in the order in which they were logged. */
  inOrder(): readonly CompletedEvent[] {
    return this.byPut;
  }
}
