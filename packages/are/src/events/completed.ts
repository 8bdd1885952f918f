// Events that have happened: the entries of the event log, which the verifier reads and placeholders look into.
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
  /** Arguments as given; of an agent's call with defaults filled in. */
  readonly args: Args;
  /** Arguments with placeholders replaced; empty where a call was made directly. */
  readonly resolved: Args;
}

export interface CompletedEvent {
  readonly type: EventType;
  /** Becomes the oracle's id once the verifier has matched the event and passed its turn, so that placeholders find it. */
  id: string;
  readonly time: number;
  /** null: a condition or a validation. */
  readonly action: CompletedAction | null;
  readonly value: Value;
  readonly error: Pick<PythonError, 'kind' | 'message'> | null;
}

/** The arguments that the call was made with. */
export const argsOf = ({ action }: CompletedEvent): Args =>
  action === null ? {} : Object.keys(action.resolved).length > 0 ? action.resolved : action.args;

/** A tool's name by its app's class, not by the app's name: the verifier and notifications know it by this. */
export const toolNameOf = ({ action, type }: CompletedEvent): string =>
  action === null ? type : `${action.className}__${action.functionName}`;

export const isMessageToUser = ({ type, action }: CompletedEvent): boolean =>
  type === 'AGENT' && action?.className === 'AgentUserInterface' && action.functionName === 'send_message_to_user';

export class EventLog {
  private readonly heap = new Heap<CompletedEvent>((a, b) => a.time < b.time);
  private sortedView: CompletedEvent[] | null = null;
  private readonly byPut: CompletedEvent[] = [];
  /** Number of the agent's messages to the user in it. */
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

  /** Events by time; ties as they are in the heap. The entries themselves, not copies. */
  list(): readonly CompletedEvent[] {
    this.sortedView ??= this.heap.sorted();
    return this.sortedView;
  }

  /** The first of an id, by time. A look through all, which is less than to sort them. */
  find(id: string): CompletedEvent | undefined {
    const found = this.byPut.filter((event) => event.id === id);
    return found.length > 1 ? this.list().find((event) => event.id === id) : found[0];
  }

  /** Events in the order in which they happened. */
  inOrder(): readonly CompletedEvent[] {
    return this.byPut;
  }
}
