// Ambiguity: the user's request has two meanings, lacks something, or is impossible. The agent does the clear part, asks, and continues
// with the answer; guessing fails.
import type { Draft } from '../draft.ts';
import { templatesOf } from '../template.ts';
import { dateText, hourText, type Occasion, type Person, type Universe } from '../universe.ts';
import { addEvent, chat, DONE, deleteEvent, freeSlot, mail, newTitle, THEN_TELL } from './asks.ts';

/** Seconds until the user answers. */
const ANSWER = 20;

/** A universe in which the first two people share their first name, and one of them is meant. */
export function namesakes(universe: Universe): { universe: Universe; one: Person; other: Person; meant: Person } {
  const [first, second, ...rest] = universe.people as [Person, Person, ...Person[]];
  const name = `${first.first} ${second.last}`;
  const namesake = {
    ...second,
    first: first.first,
    name,
    email: `${first.first}.${second.last}@example.org`.toLowerCase(),
  };
  const people = [first, namesake, ...rest];
  const renamed = (person: Person) => people.find(({ id }) => id === person.id) as Person;
  const changed = {
    ...universe,
    people,
    mails: universe.mails.map((email) => ({ ...email, from: renamed(email.from) })),
    occasions: universe.occasions.map((one) => ({ ...one, attendees: one.attendees.map(renamed) })),
  };
  return { universe: changed, one: first, other: namesake, meant: universe.chance.one([first, namesake]) };
}

function askWho(draft: Draft, { one, other, meant }: { one: Person; other: Person; meant: Person }): void {
  draft.tell(`Do you mean ${one.name} or ${other.name}?`);
  draft.user(`I mean ${meant.name}.`, ANSWER);
}

export const AMBIGUITY = templatesOf(
  'ambiguity',
  {
    'mail to whom': (draft, universe) => {
      const who = namesakes(universe);
      const { words, chance } = universe;
      const [subject, text] = [chance.one(words.subjects), chance.one(words.sentences)];
      draft.user(
        `Send an email to ${who.one.first} with the subject "${subject}" and this text: "${text}" ${THEN_TELL}`,
      );
      askWho(draft, who);
      mail(draft, who.meant, subject, text);
      draft.tell(DONE);
      draft.happensIn(who.universe);
    },
    'chat with whom': (draft, universe) => {
      const who = namesakes(universe);
      const text = universe.chance.one(universe.words.sentences);
      draft.user(`Write to ${who.one.first} in Chats: "${text}" ${THEN_TELL}`);
      askWho(draft, who);
      chat(draft, who.meant, text);
      draft.tell(DONE);
      draft.happensIn(who.universe);
    },
    'delete whom': (draft, universe) => {
      const who = namesakes(universe);
      draft.user(`Delete ${who.one.first} from my contacts. ${THEN_TELL}`);
      askWho(draft, who);
      draft.oracle('Contacts', 'delete_contact', { contact_id: who.meant.id });
      draft.tell(DONE);
      draft.happensIn(who.universe);
    },
    'invite whom': (draft, universe) => {
      const who = namesakes(universe);
      const [title, slot] = [newTitle(universe), freeSlot(universe)];
      draft.user(`Put "${title}" into my calendar ${slot.text}, with ${who.one.first} as attendee. ${THEN_TELL}`);
      askWho(draft, who);
      addEvent(draft, title, slot, [who.meant]);
      draft.tell(DONE);
      draft.happensIn(who.universe);
    },
    'which color': (draft, { products, chance }) => {
      const product = chance.one(products);
      const [one, other] = product.variants as [(typeof product.variants)[0], (typeof product.variants)[0]];
      const meant = chance.one([one, other]);
      draft.user(`Buy one ${product.name}. ${THEN_TELL}`);
      draft.tell(`In ${one.color} or in ${other.color}?`);
      draft.user(`In ${meant.color}.`, ANSWER);
      const cart = draft.oracle('Shopping', 'add_to_cart', { item_id: meant.id, quantity: 1 });
      draft.oracle('Shopping', 'checkout', {}, { after: [cart] });
      draft.tell(DONE);
    },
    'which event': (draft, universe) => {
      const { occasions, chance } = universe;
      const [one, second, ...rest] = occasions as [Occasion, Occasion, ...Occasion[]];
      const other = { ...second, title: one.title };
      const meant = chance.one([one, other]);
      draft.user(`Remove "${one.title}" from my calendar. ${THEN_TELL}`);
      draft.tell(`The one on ${dateText(one.start)} or on ${dateText(other.start)}?`);
      draft.user(`The one on ${dateText(meant.start)}.`, ANSWER);
      deleteEvent(draft, meant);
      draft.tell(DONE);
      draft.happensIn({ ...universe, occasions: [one, other, ...rest] });
    },
    'which mail': (draft, universe) => {
      const { mails, people, chance } = universe;
      const [one, second, ...rest] = mails as [(typeof mails)[0], (typeof mails)[0]];
      const from = people.find((person) => person !== one.from) as Person;
      const other = { ...second, from, subject: one.subject };
      const meant = chance.one([one, other]);
      draft.user(`Delete the email "${one.subject}" from my inbox. ${THEN_TELL}`);
      draft.tell(`The one from ${one.from.name} or from ${from.name}?`);
      draft.user(`The one from ${meant.from.name}.`, ANSWER);
      draft.oracle('Emails', 'delete_email', { email_id: meant.id });
      draft.tell(DONE);
      draft.happensIn({ ...universe, mails: [one, other, ...rest] });
    },
    'which flat': (draft, { flats, words, chance }) => {
      const area = chance.one(words.areas);
      const found = flats.filter((flat) => flat.area === area);
      const meant = chance.one(found);
      draft.user(`Save the apartment in ${area} to my favorites. ${THEN_TELL}`);
      draft.tell(`Is it ${found.map(({ name }) => name).join(' or ')}?`);
      draft.user(`${meant.name}, please.`, ANSWER);
      draft.oracle('RentAFlat', 'save_apartment', { apartment_id: meant.id });
      draft.tell(DONE);
    },
    'at which time': (draft, universe) => {
      const [title, slot, who] = [newTitle(universe), freeSlot(universe), universe.chance.one(universe.people)];
      draft.user(
        `Put "${title}" into my calendar on ${dateText(slot.start)}, with ${who.name} as attendee. ${THEN_TELL}`,
      );
      draft.tell('At which time does it begin and end?');
      draft.user(`From ${hourText(slot.start)} to ${hourText(slot.end)}.`, ANSWER);
      addEvent(draft, title, slot, [who]);
      draft.tell(DONE);
    },
    'to whom at all': (draft, { people, words, chance }) => {
      const [to, subject, text] = [chance.one(people), chance.one(words.subjects), chance.one(words.sentences)];
      draft.user(`Send an email with the subject "${subject}" and this text: "${text}" ${THEN_TELL}`);
      draft.tell('To whom do you want to send the email?');
      draft.user(`To ${to.name}.`, ANSWER);
      mail(draft, to, subject, text);
      draft.tell(DONE);
    },
    'which order': (draft, { orders, chance }) => {
      const meant = chance.one(orders);
      draft.user(`Cancel my order in the shop. ${THEN_TELL}`);
      draft.tell(`Is it ${orders.map(({ product }) => product.name).join(' or ')}?`);
      draft.user(`The ${meant.product.name}.`, ANSWER);
      draft.oracle('Shopping', 'cancel_order', { order_id: meant.id });
      draft.tell(DONE);
    },
    'one clear, one not': (draft, universe) => {
      const who = namesakes(universe);
      const clear = universe.chance.one(who.universe.people.slice(2));
      const text = universe.chance.one(universe.words.sentences);
      draft.user(`Write to ${clear.name} and to ${who.one.first} in Chats: "${text}" ${THEN_TELL}`);
      chat(draft, clear, text);
      askWho(draft, who);
      chat(draft, who.meant, text);
      draft.tell(DONE);
      draft.happensIn(who.universe);
    },
    'ends before it begins': (draft, universe) => {
      const [title, slot, who] = [newTitle(universe), freeSlot(universe), universe.chance.one(universe.people)];
      const [from, to] = [hourText(slot.start), hourText(slot.end)];
      draft.user(
        `Put "${title}" into my calendar on ${dateText(slot.start)} from ${to} to ${from}, with ${who.name} as attendee. ${THEN_TELL}`,
      );
      draft.tell(`It cannot begin at ${to} and end at ${from}. Which times are right?`);
      draft.user(`From ${from} to ${to}.`, ANSWER);
      addEvent(draft, title, slot, [who]);
      draft.tell(DONE);
    },
  },
  ['which order', 'one clear, one not', 'ends before it begins'],
);
