// Execution: the user gives a task, and the agent carries it out.
import { formatDateTime } from '../../apps/support/clock.ts';
import { resultOf } from '../draft.ts';
import { templatesOf } from '../template.ts';
import { dateText, hourText } from '../universe.ts';
import { addEvent, chat, DONE, deleteEvent, freeSlot, mail, newTitle, THEN_TELL } from './asks.ts';

export const EXECUTION = templatesOf(
  'execution',
  {
    mail: (draft, { people, words, chance }) => {
      const [to, subject, text] = [chance.one(people), chance.one(words.subjects), chance.one(words.sentences)];
      draft.user(`Send an email to ${to.name} with the subject "${subject}" and this text: "${text}" ${THEN_TELL}`);
      mail(draft, to, subject, text);
      draft.tell(DONE);
    },
    'two mails': (draft, { people, words, chance }) => {
      const [one, other] = chance.some(people, 2) as [(typeof people)[0], (typeof people)[0]];
      const [subject, text] = [chance.one(words.subjects), chance.one(words.sentences)];
      draft.user(
        `Send an email to ${one.name} and a second one to ${other.name}, both with the subject "${subject}" and this text: "${text}" ${THEN_TELL}`,
      );
      mail(draft, one, subject, text);
      mail(draft, other, subject, text);
      draft.tell(DONE);
    },
    'add event': (draft, universe) => {
      const [title, slot, who] = [newTitle(universe), freeSlot(universe), universe.chance.one(universe.people)];
      draft.user(`Put "${title}" into my calendar ${slot.text}, with ${who.name} as attendee. ${THEN_TELL}`);
      addEvent(draft, title, slot, [who]);
      draft.tell(DONE);
    },
    'delete event': (draft, { occasions, chance }) => {
      const occasion = chance.one(occasions);
      draft.user(`Remove "${occasion.title}" from my calendar. ${THEN_TELL}`);
      deleteEvent(draft, occasion);
      draft.tell(DONE);
    },
    reply: (draft, { mails, words, chance }) => {
      const [email, text] = [chance.one(mails), chance.one(words.sentences)];
      draft.user(`Reply to the email "${email.subject}" in my inbox with this text: "${text}" ${THEN_TELL}`);
      draft.oracle('Emails', 'reply_to_email', { email_id: email.id, content: text });
      draft.tell(DONE);
    },
    forward: (draft, { mails, people, chance }) => {
      const [email, to] = [chance.one(mails), chance.one(people)];
      draft.user(`Forward the email "${email.subject}" from my inbox to ${to.name}. ${THEN_TELL}`);
      draft.oracle('Emails', 'forward_email', { email_id: email.id, recipients: [to.email] });
      draft.tell(DONE);
    },
    'move to trash': (draft, { mails, chance }) => {
      const email = chance.one(mails);
      draft.user(`Delete the email "${email.subject}" from my inbox. ${THEN_TELL}`);
      draft.oracle('Emails', 'delete_email', { email_id: email.id });
      draft.tell(DONE);
    },
    chat: (draft, { people, words, chance }) => {
      const [to, text] = [chance.one(people), chance.one(words.sentences)];
      draft.user(`Write to ${to.name} in Chats: "${text}" ${THEN_TELL}`);
      chat(draft, to, text);
      draft.tell(DONE);
    },
    'group chat': (draft, { people, words, chance }) => {
      const [members, title, text] = [chance.some(people, 2), chance.one(words.subjects), chance.one(words.sentences)];
      const names = members.map(({ name }) => name).join(' and ');
      draft.user(`Start a group in Chats with ${names}, called "${title}", and write there: "${text}" ${THEN_TELL}`);
      const user_ids = members.map(({ id }) => id);
      const group = draft.oracle('Chats', 'create_group_conversation', { user_ids, title });
      const args = { conversation_id: resultOf(group), content: text };
      draft.oracle('Chats', 'send_message_to_group_conversation', args, { after: [group] });
      draft.tell(DONE);
    },
    'new contact': (draft, { user, people, words, chance }) => {
      const known = [user, ...people];
      const first = chance.one(words.first.filter((name) => !known.some((person) => person.first === name)));
      const last = chance.one(words.last);
      const phone = `+4766${chance.between(100000, 999999)}`;
      const email = `${first}.${last}@example.com`.toLowerCase();
      draft.user(`Save ${first} ${last} as a new contact: phone ${phone}, email ${email}. ${THEN_TELL}`);
      draft.oracle('Contacts', 'add_new_contact', { first_name: first, last_name: last, phone, email });
      draft.tell(DONE);
    },
    'delete contact': (draft, { people, chance }) => {
      const person = chance.one(people);
      draft.user(`Delete ${person.name} from my contacts. ${THEN_TELL}`);
      draft.oracle('Contacts', 'delete_contact', { contact_id: person.id });
      draft.tell(DONE);
    },
    buy: (draft, { products, chance }) => {
      const [product, quantity] = [chance.one(products), chance.between(1, 3)];
      const variant = chance.one(product.variants);
      draft.user(`Buy ${quantity} of the ${product.name} in ${variant.color}. ${THEN_TELL}`);
      const cart = draft.oracle('Shopping', 'add_to_cart', { item_id: variant.id, quantity });
      draft.oracle('Shopping', 'checkout', {}, { after: [cart] });
      draft.tell(DONE);
    },
    'cancel order': (draft, { orders, chance }) => {
      const order = chance.one(orders);
      draft.user(`Cancel my order of the ${order.product.name}. ${THEN_TELL}`);
      draft.oracle('Shopping', 'cancel_order', { order_id: order.id });
      draft.tell(DONE);
    },
    'cheapest flat': (draft, { flats, words, chance }) => {
      const area = chance.one(words.areas);
      const [cheapest] = flats.filter((flat) => flat.area === area).sort((a, b) => a.price - b.price);
      draft.user(`Save the cheapest apartment in ${area} to my favorites. ${THEN_TELL}`);
      draft.oracle('RentAFlat', 'save_apartment', { apartment_id: cheapest!.id });
      draft.tell(DONE);
    },
    cab: (draft, { start, trips, chance }) => {
      const [trip, service] = [chance.one(trips), chance.one(['Default', 'Premium', 'Van'])];
      const time = start + chance.between(3, 10) * 3600;
      const when = `${dateText(time)} at ${hourText(time)}`;
      draft.user(`Order a cab of the service ${service} from ${trip.from} to ${trip.to} for ${when}. ${THEN_TELL}`);
      const route = { start_location: trip.from, end_location: trip.to };
      draft.oracle('Cabs', 'order_ride', { ...route, service_type: service, ride_time: formatDateTime(time) });
      draft.tell(DONE);
    },
    'event and mail': (draft, universe) => {
      const { chance, people, words } = universe;
      const [title, slot, who, text] = [
        newTitle(universe),
        freeSlot(universe),
        chance.one(people),
        chance.one(words.sentences),
      ];
      draft.user(
        `Put "${title}" into my calendar ${slot.text}, with ${who.name} as attendee, and send ${who.name} an email with the subject "${title}" and this text: "${text}" ${THEN_TELL}`,
      );
      addEvent(draft, title, slot, [who]);
      mail(draft, who, title, text);
      draft.tell(DONE);
    },
    'cancel event and tell attendees': (draft, { occasions, chance }) => {
      const occasion = chance.one(occasions);
      const text = `${occasion.title} is cancelled.`;
      draft.user(
        `Remove "${occasion.title}" from my calendar and write to each attendee in Chats: "${text}" ${THEN_TELL}`,
      );
      deleteEvent(draft, occasion);
      for (const who of occasion.attendees) chat(draft, who, text);
      draft.tell(DONE);
    },
    'reply and delete': (draft, { mails, words, chance }) => {
      const [email, text] = [chance.one(mails), chance.one(words.sentences)];
      draft.user(
        `Reply to the email "${email.subject}" in my inbox with this text: "${text}" Then delete the email. ${THEN_TELL}`,
      );
      const reply = draft.oracle('Emails', 'reply_to_email', { email_id: email.id, content: text });
      draft.oracle('Emails', 'delete_email', { email_id: email.id }, { after: [reply] });
      draft.tell(DONE);
    },
  },
  ['event and mail', 'cancel event and tell attendees', 'reply and delete', 'forward'],
);
