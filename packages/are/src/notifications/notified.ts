// Chooses the events that the agent is notified of, by verbosity, and their words. User messages are always delivered. LOW notifies of
// nothing else; MEDIUM of consequences of the agent's own actions; HIGH of most of the environment's events.
import { withAliases } from '../aliases.ts';
import { argsOf, type CompletedEvent } from '../events/completed.ts';
import { pythonText } from '../python-text.ts';

export const VERBOSITIES = ['LOW', 'MEDIUM', 'HIGH'] as const;
export type Verbosity = (typeof VERBOSITIES)[number];

type Phrase = (argument: (name: string) => string, event: CompletedEvent) => string | null;

/** A cancelled order or ride is reported only if the agent did not cancel it itself. */
const unlessOwn =
  (phrase: Phrase): Phrase =>
  (argument, event) =>
    event.type === 'AGENT' ? null : phrase(argument, event);

const fromSender: Phrase = (argument) => `New email received from ${argument('sender')}`;
const rideCancelled = unlessOwn(() => 'ride cancelled');
const MESSAGE: Readonly<Record<string, Phrase>> = {
  create_and_add_message: (argument) => `New message received in conversation ID: ${argument('conversation_id')}`,
};

/** Phrases of all notifications, by class. */
const TOLD: Readonly<Record<string, Readonly<Record<string, Phrase>>>> = {
  EmailClientApp: {
    create_and_add_email: fromSender,
    send_email_to_user_only: fromSender,
    reply_to_email_from_user: () => 'New email received',
  },
  MessagingApp: MESSAGE,
  MessagingAppV2: MESSAGE,
  ShoppingApp: {
    add_product: (argument) => `New product added: ${argument('name')}`,
    add_item_to_product: (argument) => `New item added to product with Id ${argument('product_id')}`,
    cancel_order: unlessOwn((argument) => `Order cancelled with Id ${argument('order_id')}`),
    update_order_status: (argument) => `Updated order with Id ${argument('order_id')}`,
    add_discount_code: (argument) => `New discount code for item with Id ${argument('item_id')}`,
  },
  ApartmentListingApp: { add_new_apartment: (argument) => `New apartment available with name ${argument('name')}` },
  CabApp: {
    cancel_ride: rideCancelled,
    user_cancel_ride: rideCancelled,
    update_ride_status: () => 'ride status updated',
    end_ride: () => 'ride completed',
  },
  CalendarApp: {
    add_calendar_event_by_attendee: (argument) => `New calendar event added by ${argument('who_add')}`,
    delete_calendar_event_by_attendee: (argument) => `Calendar event deleted by ${argument('who_delete')}`,
  },
};
const HIGH = Object.fromEntries(Object.entries(TOLD).map(([className, phrases]) => [className, Object.keys(phrases)]));
// MEDIUM omits flats, and some events of shops and rides.
const { ApartmentListingApp: _, ...followUps } = HIGH;
const MEDIUM = {
  ...followUps,
  ShoppingApp: ['cancel_order', 'update_order_status'],
  CabApp: ['cancel_ride', 'user_cancel_ride', 'end_ride'],
};

const PHRASES = withAliases(TOLD);
// As in the reference, the alias of the cab class has no phrases, though the class has.
PHRASES.delete('Cabs');

const NOTIFIED: Readonly<Record<Verbosity, ReadonlyMap<string, readonly string[]>>> = {
  LOW: new Map(),
  MEDIUM: withAliases<readonly string[]>(MEDIUM),
  HIGH: withAliases<readonly string[]>(HIGH),
};

/** Function names by class of app. */
export const notifiedTools = (verbosity: Verbosity): ReadonlyMap<string, readonly string[]> => NOTIFIED[verbosity];

/** Notification of an event at this verbosity; null if there is none. */
export function notificationOf(event: CompletedEvent, verbosity: Verbosity): string | null {
  if (event.action === null) return null;
  const { className, functionName } = event.action;
  if (!NOTIFIED[verbosity].get(className)?.includes(functionName)) return null;
  const phrase = phraseOf(event, className, functionName);
  return phrase === null ? null : `${className}: ${phrase}`;
}

function phraseOf(event: CompletedEvent, className: string, functionName: string): string | null {
  const args = argsOf(event);
  const argument = (name: string) => pythonText((Object.hasOwn(args, name) ? args[name] : null) ?? null);
  return PHRASES.get(className)?.[functionName]?.(argument, event) ?? null;
}
