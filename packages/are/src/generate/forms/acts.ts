// Single requests: the user's words, an imperative in lower case, and the oracle's actions. Every frame (now, after another, if, in
// minutes) can contain any of them.
import { formatDateTime } from '../../apps/support/clock.ts';
import { type Draft, resultOf, type When } from '../draft.ts';
import { addEvent, chat, deleteEvent, mail } from '../templates/asks.ts';
import { dateText, hourText, type Mail, type Person } from '../universe.ts';
import type { Stock } from './stock.ts';

export interface Act {
  readonly words: string;
  /** Adds the oracle's events, the first at `when`; returns the id of the last. */
  done(draft: Draft, when?: When): string;
}

/** A person, and the words by which the user refers to them. */
export interface Named {
  readonly person: Person;
  readonly words: string;
}
const byName = (person: Person): Named => ({ person, words: person.name });

/** Ways to refer to a person by an identifying fact. */
const KNOWN_BY = {
  name: ({ name }: Person) => name,
  'first name': ({ first }: Person) => first,
  phone: ({ phone }: Person) => `my contact with the phone number ${phone}`,
  email: ({ email }: Person) => `my contact with the email address ${email}`,
  city: ({ city }: Person) => `my contact who lives in ${city}`,
  job: ({ job }: Person) => `my contact whose job is ${job}`,
} as const;

export type NamedBy = keyof typeof KNOWN_BY | 'sender' | 'attendee';

/** A person from the stock whom this kind of reference identifies. */
export function namedBy(way: NamedBy, stock: Stock): Named {
  if (way === 'sender') {
    const { from, subject } = stock.mail();
    return { person: from, words: `the sender of the email "${subject}"` };
  }
  if (way === 'attendee') {
    const { attendees, title } = stock.occasion(({ attendees }) => attendees.length === 1);
    return { person: attendees[0] as Person, words: `the attendee of "${title}"` };
  }
  const person = stock.person();
  return { person, words: KNOWN_BY[way](person) };
}

const HOUR = 3600;

/** Acts with a person as object. */
export const TO_SOMEBODY = {
  mail: (stock: Stock, who: Named = byName(stock.person())): Act => {
    const [subject, text] = [stock.subject(), stock.sentence()];
    return {
      words: `send an email to ${who.words} with the subject "${subject}" and this text: "${text}"`,
      done: (draft, when) => mail(draft, who.person, subject, text, when),
    };
  },
  chat: (stock: Stock, who: Named = byName(stock.person())): Act => {
    const text = stock.sentence();
    return {
      words: `write to ${who.words} in a chat: "${text}"`,
      done: (draft, when) => chat(draft, who.person, text, when),
    };
  },
  'add event': (stock: Stock, who: Named = byName(stock.person())): Act => {
    const [title, slot] = [stock.title(), stock.slot()];
    return {
      words: `put "${title}" into my calendar ${slot.text} with ${who.words} as attendee`,
      done: (draft, when) => addEvent(draft, title, slot, [who.person], when),
    };
  },
  forward: (stock: Stock, who: Named = byName(stock.person())): Act => {
    const email = stock.mail();
    return {
      words: `forward the email "${email.subject}" to ${who.words}`,
      done: (draft, when) => forward(draft, email, who.person, when),
    };
  },
  'delete contact': (stock: Stock, who: Named = byName(stock.person())): Act => ({
    words: `delete ${who.words} from my contacts`,
    done: (draft, when) => draft.oracle('Contacts', 'delete_contact', { contact_id: who.person.id }, when),
  }),
} as const;

export const forward = (draft: Draft, { id }: Mail, to: Person, when?: When): string =>
  draft.oracle('Emails', 'forward_email', { email_id: id, recipients: [to.email] }, when);

export const reply = (draft: Draft, { id }: Mail, content: string, when?: When): string =>
  draft.oracle('Emails', 'reply_to_email', { email_id: id, content }, when);

export const trash = (draft: Draft, { id }: Mail, when?: When): string =>
  draft.oracle('Emails', 'delete_email', { email_id: id }, when);

export function buy(draft: Draft, item_id: string, quantity: number, when?: When): string {
  const cart = draft.oracle('Shopping', 'add_to_cart', { item_id, quantity }, when);
  return draft.oracle('Shopping', 'checkout', {}, { after: [cart] });
}

const OTHERS = {
  'delete event': (stock: Stock): Act => {
    const occasion = stock.occasion();
    return {
      words: `remove "${occasion.title}" from my calendar`,
      done: (draft, when) => deleteEvent(draft, occasion, when),
    };
  },
  reply: (stock: Stock): Act => {
    const [email, text] = [stock.mail(), stock.sentence()];
    return {
      words: `reply to the email "${email.subject}" with this text: "${text}"`,
      done: (draft, when) => reply(draft, email, text, when),
    };
  },
  trash: (stock: Stock): Act => {
    const email = stock.mail();
    return {
      words: `delete the email "${email.subject}" from my inbox`,
      done: (draft, when) => trash(draft, email, when),
    };
  },
  'new contact': (stock: Stock): Act => {
    const { first, last } = stock.stranger();
    const phone = `+4766${stock.chance.between(100000, 999999)}`;
    const email = `${first}.${last}@example.com`.toLowerCase();
    return {
      words: `save ${first} ${last} as a new contact with phone ${phone} and email ${email}`,
      done: (draft, when) =>
        draft.oracle('Contacts', 'add_new_contact', { first_name: first, last_name: last, phone, email }, when),
    };
  },
  buy: (stock: Stock): Act => {
    const [product, quantity] = [stock.product(), stock.chance.between(1, 3)];
    const variant = stock.chance.one(product.variants);
    return {
      words: `buy ${quantity} of the ${product.name} in ${variant.color}`,
      done: (draft, when) => buy(draft, variant.id, quantity, when),
    };
  },
  'cancel order': (stock: Stock): Act => {
    const order = stock.order();
    return {
      words: `cancel my order of the ${order.product.name}`,
      done: (draft, when) => draft.oracle('Shopping', 'cancel_order', { order_id: order.id }, when),
    };
  },
  'save flat': (stock: Stock): Act => {
    const flat = stock.flat();
    return {
      words: `save the apartment ${flat.name} to my favorites`,
      done: (draft, when) => draft.oracle('RentAFlat', 'save_apartment', { apartment_id: flat.id }, when),
    };
  },
  cab: (stock: Stock): Act => {
    const [trip, service] = [stock.trip(), stock.chance.one(['Default', 'Premium', 'Van'])];
    const time = stock.universe.start + stock.chance.between(3, 10) * HOUR;
    const route = { start_location: trip.from, end_location: trip.to };
    const ride = { ...route, service_type: service, ride_time: formatDateTime(time) };
    return {
      words: `order a cab of the service ${service} from ${trip.from} to ${trip.to} for ${dateText(time)} at ${hourText(time)}`,
      done: (draft, when) => draft.oracle('Cabs', 'order_ride', ride, when),
    };
  },
  'group chat': (stock: Stock): Act => {
    const [one, other] = [stock.person(), stock.person()];
    const [title, text] = [stock.subject(), stock.sentence()];
    return {
      words: `start a chat group with ${one.name} and ${other.name} called "${title}" and write there: "${text}"`,
      done: (draft, when) => {
        const user_ids = [one.id, other.id];
        const group = draft.oracle('Chats', 'create_group_conversation', { user_ids, title }, when);
        const args = { conversation_id: resultOf(group), content: text };
        return draft.oracle('Chats', 'send_message_to_group_conversation', args, { after: [group] });
      },
    };
  },
} as const;

type SomebodyId = keyof typeof TO_SOMEBODY;
export const SOMEBODY_IDS = Object.keys(TO_SOMEBODY) as SomebodyId[];

const ACTS: Readonly<Record<string, (stock: Stock) => Act>> = { ...TO_SOMEBODY, ...OTHERS };
export const ACT_IDS = Object.keys(ACTS);
/** All ordered pairs of two different acts. */
export const PAIRS: readonly (readonly [string, string])[] = ACT_IDS.flatMap((one) =>
  ACT_IDS.filter((other) => other !== one).map((other) => [one, other] as const),
);

export const actOf = (id: string, stock: Stock): Act => {
  const made = ACTS[id];
  if (!made) throw new RangeError(`no act ${id}`);
  return made(stock);
};

/** Makes a sentence of the words; a final quotation needs no full stop. */
export function sentence(words: string): string {
  const begun = `${words[0]?.toUpperCase()}${words.slice(1)}`;
  return words.endsWith('"') ? begun : `${begun}.`;
}
