// Messages waiting for the agent, by time. The agent takes out those that have arrived.
import { stamp } from '../clock.ts';
import { argsOf, type CompletedEvent } from '../events/completed.ts';
import { Heap } from '../heap.ts';
import { pythonText } from '../python-text.ts';
import { notificationOf, type Verbosity } from './notified.ts';

type MessageKind = 'USER_MESSAGE' | 'ENVIRONMENT_NOTIFICATION' | 'ENVIRONMENT_STOP';

export interface Message {
  readonly kind: MessageKind;
  readonly text: string;
  /** Simulated seconds since 1970, to the microsecond. */
  readonly time: number;
}

/** Timestamps of messages are Python datetimes, which have microseconds. */
const micro = (seconds: number): number => Math.round(seconds * 1e6) / 1e6;

export class Inbox {
  private readonly heap = new Heap<Message>((a, b) => a.time < b.time);

  constructor(readonly verbosity: Verbosity) {}

  put(kind: MessageKind, text: string, time: number): void {
    this.heap.push({ kind, text, time: micro(time) });
  }

  /** Adds a notification of an event, if the verbosity has one. */
  tell(event: CompletedEvent, now: number): void {
    const { action } = event;
    if (action?.className === 'AgentUserInterface' && action.functionName === 'send_message_to_agent') {
      this.put('USER_MESSAGE', userMessage(pythonText(argsOf(event).content ?? null), now), now);
      return;
    }
    const text = notificationOf(event, this.verbosity);
    if (text !== null) this.put('ENVIRONMENT_NOTIFICATION', text, now);
  }

  nextTime(): number | null {
    return this.heap.peek()?.time ?? null;
  }

  hasNew(now: number): boolean {
    const next = this.nextTime();
    return next !== null && next <= micro(now);
  }

  /** Takes out the messages that have arrived by now, in order. */
  take(now: number): Message[] {
    const taken: Message[] = [];
    while (this.hasNew(now)) taken.push(this.heap.pop() as Message);
    return taken;
  }

  list(): readonly Message[] {
    return this.heap.sorted();
  }
}

const userMessage = (content: string, now: number): string =>
  [
    `Received at: ${stamp(now)}`,
    'Sender: User',
    `Message: ${content}`,
    'Already read: True',
    `Read at: ${stamp(now)}`,
  ].join('\n');
