// `wait_for_notification`: the clock jumps from event to event until there is a notification for the agent, or the wait times out. An event
// at the very end of the wait still happens. A wait ends with the environment's duration, since a condition that is checked every second
// would otherwise be checked through a wait of years.
import type { Clock } from './clock.ts';
import type { EventQueue } from './events/queue.ts';
import type { Inbox } from './notifications/inbox.ts';

/** The parts of the environment that a wait uses. */
interface Waiting {
  readonly clock: Clock;
  readonly queue: EventQueue;
  readonly inbox: Inbox;
  readonly isOver: boolean;
  readonly isTimeUp: boolean;
  /** The first moment after its duration. */
  readonly end: number;
  waiting: { seconds: number; until: number } | null;
  /** The end of a wait that is interrupted by a pending answer: the repeated call waits to the same end. */
  heldUntil: number | null;
  tick(): void;
}

export function waitForNotification(environment: Waiting, seconds: number): void {
  const { clock, queue, inbox } = environment;
  const until = environment.heldUntil ?? clock.time() + seconds;
  if (environment.heldUntil === null) environment.waiting = { seconds, until };
  environment.heldUntil = until;
  const within = (time: number | null | undefined): number | null =>
    time === null || time === undefined || time > until ? null : time;
  while (!environment.isOver && !environment.isTimeUp) {
    const event = within(queue.peek()?.time);
    const message = within(inbox.nextTime());
    const isEventFirst = event !== null && (message === null || event < message);
    clock.addOffset((isEventFirst ? event : (message ?? Math.min(until, environment.end))) - clock.time());
    if (!isEventFirst) break;
    environment.tick();
  }
  environment.tick();
  environment.waiting = null;
  environment.heldUntil = null;
}
