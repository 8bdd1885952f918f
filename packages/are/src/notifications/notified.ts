// Which events the agent is told of, by verbosity, and in which words. A message of the user is always told. Nothing else is at LOW;
// at MEDIUM what may follow from the agent's own actions; at HIGH most of what the environment does.
import { withAliases } from '../aliases.ts';
import { argsOf, type CompletedEvent } from '../events/completed.ts';
import { pythonText } from '../python-text.ts';

export const VERBOSITIES = ['LOW', 'MEDIUM', 'HIGH'] as const;
export type Verbosity = (typeof VERBOSITIES)[number];

const EMAIL = ['create_and_add_email', 'send_email_to_user_only', 'reply_to_email_from_user'];
const CALENDAR = ['add_calendar_event_by_attendee', 'delete_calendar_event_by_attendee'];
const MESSAGE = ['create_and_add_message'];

const MEDIUM = {
  EmailClientApp: EMAIL,
  MessagingApp: MESSAGE,
  MessagingAppV2: MESSAGE,
  ShoppingApp: ['cancel_order', 'update_order_status'],
  CabApp: ['cancel_ride', 'user_cancel_ride', 'end_ride'],
  CalendarApp: CALENDAR,
};
const HIGH = {
  EmailClientApp: EMAIL,
  MessagingApp: MESSAGE,
  MessagingAppV2: MESSAGE,
  ShoppingApp: ['add_product', 'add_item_to_product', 'cancel_order', 'update_order_status', 'add_discount_code'],
  ApartmentListingApp: ['add_new_apartment'],
  CabApp: ['cancel_ride', 'user_cancel_ride', 'update_ride_status', 'end_ride'],
  CalendarApp: CALENDAR,
};

const NOTIFIED: Readonly<Record<Verbosity, ReadonlyMap<string, readonly string[]>>> = {
  LOW: new Map(),
  MEDIUM: withAliases<readonly string[]>(MEDIUM),
  HIGH: withAliases<readonly string[]>(HIGH),
};

/** Function names by class of app. */
export const notifiedTools = (verbosity: Verbosity): ReadonlyMap<string, readonly string[]> => NOTIFIED[verbosity];

/** What the agent is shown of an event at this verbosity; null where nothing. */
export function notificationOf(event: CompletedEvent, verbosity: Verbosity): string | null {
  if (event.action === null) return null;
  const { className, functionName } = event.action;
  if (!NOTIFIED[verbosity].get(className)?.includes(functionName)) return null;
  const phrase = phraseOf(event, className, functionName);
  return phrase === null ? null : `${className}: ${phrase}`;
}

type Phrase = (argument: (name: string) => string, event: CompletedEvent) => string | null;

/** A cancelled order or ride is told where the agent has not cancelled it itself. */
const unlessOwn =
  (phrase: Phrase): Phrase =>
  (argument, event) =>
    event.type === 'AGENT' ? null : phrase(argument, event);

const SHOPS = ['ShoppingApp', 'Shopping'];
const PHRASES: readonly { classes: readonly string[]; functions: readonly string[]; phrase: Phrase }[] = [
  {
    classes: ['EmailClientApp', 'EmailClientV2', 'Mail', 'Emails'],
    functions: ['create_and_add_email', 'send_email_to_user_only'],
    phrase: (argument) => `New email received from ${argument('sender')}`,
  },
  {
    classes: ['EmailClientApp', 'EmailClientV2', 'Mail', 'Emails'],
    functions: ['reply_to_email_from_user'],
    phrase: () => 'New email received',
  },
  {
    classes: ['MessagingApp', 'MessagingAppV2', 'Messages', 'Chats'],
    functions: MESSAGE,
    phrase: (argument) => `New message received in conversation ID: ${argument('conversation_id')}`,
  },
  { classes: SHOPS, functions: ['add_product'], phrase: (argument) => `New product added: ${argument('name')}` },
  {
    classes: SHOPS,
    functions: ['add_item_to_product'],
    phrase: (argument) => `New item added to product with Id ${argument('product_id')}`,
  },
  {
    classes: SHOPS,
    functions: ['cancel_order'],
    phrase: unlessOwn((argument) => `Order cancelled with Id ${argument('order_id')}`),
  },
  {
    classes: SHOPS,
    functions: ['update_order_status'],
    phrase: (argument) => `Updated order with Id ${argument('order_id')}`,
  },
  {
    classes: SHOPS,
    functions: ['add_discount_code'],
    phrase: (argument) => `New discount code for item with Id ${argument('item_id')}`,
  },
  {
    classes: ['ApartmentListingApp', 'RentAFlat'],
    functions: ['add_new_apartment'],
    phrase: (argument) => `New apartment available with name ${argument('name')}`,
  },
  { classes: ['CabApp'], functions: ['cancel_ride', 'user_cancel_ride'], phrase: unlessOwn(() => 'ride cancelled') },
  { classes: ['CabApp'], functions: ['update_ride_status'], phrase: () => 'ride status updated' },
  { classes: ['CabApp'], functions: ['end_ride'], phrase: () => 'ride completed' },
  {
    classes: ['CalendarApp', 'Calendar'],
    functions: ['add_calendar_event_by_attendee'],
    phrase: (argument) => `New calendar event added by ${argument('who_add')}`,
  },
  {
    classes: ['CalendarApp', 'Calendar'],
    functions: ['delete_calendar_event_by_attendee'],
    phrase: (argument) => `Calendar event deleted by ${argument('who_delete')}`,
  },
];

function phraseOf(event: CompletedEvent, className: string, functionName: string): string | null {
  const entry = PHRASES.find(
    ({ classes, functions }) => classes.includes(className) && functions.includes(functionName),
  );
  const args = argsOf(event);
  const argument = (name: string) => pythonText((Object.hasOwn(args, name) ? args[name] : null) ?? null);
  return entry?.phrase(argument, event) ?? null;
}
