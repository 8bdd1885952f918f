// Adaptability: the environment reacts to the agent or acts by itself, and the task depends on it.
import { formatDateTime } from '../../apps/support/clock.ts';
import { type Draft, resultOf } from '../draft.ts';
import { templatesOf } from '../template.ts';
import { dateText, hourText, type Person, type Universe } from '../universe.ts';
import { addEvent, chat, DONE, deleteEvent, freeSlot, mail, newTitle, slotArgs } from './asks.ts';

/** Seconds until a person or the environment answers. */
const ANSWER = 30;
const ASKED = 'I have asked.';
const TELL_ONCE = 'Tell me when you have asked.';
const TELL_AGAIN = 'Then tell me that it is done.';

const answerMail = (draft: Draft, mailed: string, who: Person, content: string): string =>
  draft.world(
    'Emails',
    'reply_to_email_from_user',
    { sender: who.email, email_id: resultOf(mailed), content },
    { delay: ANSWER },
  );
const answerChat = (draft: Draft, written: string, who: Person, content: string): string =>
  draft.world(
    'Chats',
    'create_and_add_message',
    { conversation_id: resultOf(written), sender_id: who.id, content },
    { delay: ANSWER },
  );
const yesOrNo = ({ chance }: Universe): boolean => chance.int(2) === 0;

export const ADAPTABILITY = templatesOf(
  'adaptability',
  {
    'yes or no by mail': (draft, universe) => {
      const [title, slot, who, isYes] = [
        newTitle(universe),
        freeSlot(universe),
        universe.chance.one(universe.people),
        yesOrNo(universe),
      ];
      draft.user(
        `Ask ${who.name} by email, with the subject "${title}", whether ${dateText(slot.start)} at ${hourText(slot.start)} suits. ${TELL_ONCE} ` +
          `If the answer is yes, put "${title}" into my calendar ${slot.text} with ${who.name} as attendee; ` +
          `if it is no, write to ${who.name} in Chats: "Another time." ${TELL_AGAIN}`,
      );
      const asked = mail(draft, who, title, `Does ${dateText(slot.start)} at ${hourText(slot.start)} suit you?`);
      draft.tell(ASKED);
      answerMail(draft, asked, who, isYes ? 'Yes, that suits me.' : 'No, I am sorry.');
      if (isYes) addEvent(draft, title, slot, [who]);
      else chat(draft, who, 'Another time.');
      draft.tell(DONE);
    },
    'yes or no in chat': (draft, universe) => {
      const [title, slot, who, isYes] = [
        newTitle(universe),
        freeSlot(universe),
        universe.chance.one(universe.people),
        yesOrNo(universe),
      ];
      const question = `Does ${dateText(slot.start)} at ${hourText(slot.start)} suit you?`;
      draft.user(
        `Ask ${who.name} in Chats: "${question}" ${TELL_ONCE} If the answer is yes, put "${title}" into my calendar ${slot.text} ` +
          `with ${who.name} as attendee; if it is no, answer there: "Another time." ${TELL_AGAIN}`,
      );
      const asked = chat(draft, who, question);
      draft.tell(ASKED);
      answerChat(draft, asked, who, isYes ? 'Yes!' : 'No, sorry.');
      if (isYes) addEvent(draft, title, slot, [who]);
      else chat(draft, who, 'Another time.');
      draft.tell(DONE);
    },
    'ask the next': (draft, { people, chance, words }) => {
      const [one, other] = chance.some(people, 2) as [Person, Person];
      const subject = chance.one(words.subjects);
      const question = 'Can you help me tomorrow?';
      draft.user(
        `Ask ${one.name} by email, with the subject "${subject}": "${question}" ${TELL_ONCE} If the answer is no, send the same email to ${other.name}. ${TELL_AGAIN}`,
      );
      const asked = mail(draft, one, subject, question);
      draft.tell(ASKED);
      answerMail(draft, asked, one, 'No, I am away tomorrow.');
      mail(draft, other, subject, question);
      draft.tell(DONE);
    },
    'driver cancels': (draft, { trips, start, chance }) => {
      const trip = chance.one(trips);
      const time = formatDateTime(start + chance.between(2, 6) * 3600);
      const route = { start_location: trip.from, end_location: trip.to };
      draft.user(
        `Order a cab of the service Default from ${trip.from} to ${trip.to} for ${time} and tell me when it is ordered. ` +
          `Should the driver cancel, order the service Premium for the same time instead. ${TELL_AGAIN}`,
      );
      draft.oracle('Cabs', 'order_ride', { ...route, service_type: 'Default', ride_time: time });
      draft.tell('The cab is ordered.');
      draft.world('Cabs', 'cancel_ride', { who_cancel: 'driver' }, { delay: ANSWER });
      draft.oracle('Cabs', 'order_ride', { ...route, service_type: 'Premium', ride_time: time });
      draft.tell(DONE);
    },
    'order is cancelled': (draft, { products, chance }) => {
      const product = chance.one(products);
      const [one, other] = chance.some(product.variants, 2) as [
        (typeof product.variants)[0],
        (typeof product.variants)[0],
      ];
      const buy = (item_id: string) => {
        const cart = draft.oracle('Shopping', 'add_to_cart', { item_id, quantity: 1 });
        return draft.oracle('Shopping', 'checkout', {}, { after: [cart] });
      };
      draft.user(
        `Buy one ${product.name} in ${one.color} and tell me when it is ordered. Should the shop cancel the order, buy one in ${other.color} instead. ${TELL_AGAIN}`,
      );
      const order = buy(one.id);
      draft.tell('It is ordered.');
      draft.world('Shopping', 'cancel_order', { order_id: resultOf(order) }, { delay: ANSWER });
      buy(other.id);
      draft.tell(DONE);
    },
    'attendee removes an event': (draft, { occasions, chance }) => {
      const occasion = chance.one(occasions);
      const who = chance.one(occasion.attendees);
      draft.user(
        `Somebody may take "${occasion.title}" out of my calendar. Tell me when you have read this; ` +
          `once it happens, write to whoever did it in Chats: "What a pity." ${TELL_AGAIN}`,
      );
      draft.tell('I have read it.');
      const args = { event_id: occasion.id, who_delete: who.name };
      draft.world('Calendar', 'delete_calendar_event_by_attendee', args, { delay: ANSWER });
      chat(draft, who, 'What a pity.');
      draft.tell(DONE);
    },
    'attendee adds an event': (draft, universe) => {
      const { occasions, people, chance } = universe;
      const [occasion, who] = [chance.one(occasions), chance.one(people)];
      const title = newTitle(universe);
      draft.user(
        `${who.name} may put something into my calendar at the time of "${occasion.title}". Tell me when you have read this; ` +
          `once it happens, remove "${occasion.title}" and write to ${who.name} in Chats: "I will be there." ${TELL_AGAIN}`,
      );
      draft.tell('I have read it.');
      const slot = { start: occasion.start, end: occasion.end, text: '' };
      draft.world(
        'Calendar',
        'add_calendar_event_by_attendee',
        { who_add: who.name, title, ...slotArgs(slot) },
        { delay: ANSWER },
      );
      deleteEvent(draft, occasion);
      chat(draft, who, 'I will be there.');
      draft.tell(DONE);
    },
    'question by mail': (draft, { people, words, chance }) => {
      const [who, about] = chance.some(people, 2) as [Person, Person];
      draft.user(
        `${who.name} is going to ask me something about one of my contacts by email. Tell me when you have read this; ` +
          `once the email is there, reply to it with the answer. ${TELL_AGAIN}`,
      );
      draft.tell('I have read it.');
      const content = `What is the phone number of ${about.name}?`;
      const asked = draft.world(
        'Emails',
        'send_email_to_user_only',
        { sender: who.email, subject: chance.one(words.subjects), content },
        { delay: ANSWER },
      );
      const answer = `The phone number of ${about.name} is ${about.phone}.`;
      draft.oracle('Emails', 'reply_to_email', { email_id: resultOf(asked), content: answer });
      draft.tell(DONE);
    },
    'question in chat': (draft, { people, chance }) => {
      const [who, about] = chance.some(people, 2) as [Person, Person];
      const question = 'What do you want to know?';
      draft.user(
        `Ask ${who.name} in Chats: "${question}" ${TELL_ONCE} Then answer there, by what my contacts say, the question that comes back. ${TELL_AGAIN}`,
      );
      const asked = chat(draft, who, question);
      draft.tell(ASKED);
      answerChat(draft, asked, who, `In which city does ${about.name} live?`);
      chat(draft, who, `${about.name} lives in ${about.city}.`);
      draft.tell(DONE);
    },
    'another time': (draft, universe) => {
      const { chance, people } = universe;
      const [title, slot, who] = [newTitle(universe), freeSlot(universe), chance.one(people)];
      const later = { start: slot.start + 86400, end: slot.end + 86400, text: '' };
      draft.user(
        `Ask ${who.name} by email, with the subject "${title}": "When do you have time?" ${TELL_ONCE} ` +
          `Put "${title}" into my calendar for the time in the answer, with ${who.name} as attendee. ${TELL_AGAIN}`,
      );
      const asked = mail(draft, who, title, 'When do you have time?');
      draft.tell(ASKED);
      const time = `${dateText(later.start)} from ${hourText(later.start)} to ${hourText(later.end)}`;
      answerMail(draft, asked, who, `I have time on ${time}.`);
      addEvent(draft, title, later, [who]);
      draft.tell(DONE);
    },
    'order is shipped': (draft, { orders, people, chance }) => {
      const [order, who] = [chance.one(orders), chance.one(people)];
      const text = `The ${order.product.name} is on its way.`;
      draft.user(
        `My order of the ${order.product.name} is going to be shipped. Tell me when you have read this; ` +
          `once it is shipped, write to ${who.name} in Chats: "${text}" ${TELL_AGAIN}`,
      );
      draft.tell('I have read it.');
      draft.world('Shopping', 'update_order_status', { order_id: order.id, status: 'shipped' }, { delay: ANSWER });
      chat(draft, who, text);
      draft.tell(DONE);
    },
    'who of two': (draft, universe) => {
      const { people, chance } = universe;
      const [one, other] = chance.some(people, 2) as [Person, Person];
      const [title, slot] = [newTitle(universe), freeSlot(universe)];
      const answers = chance.one([
        [true, true],
        [true, false],
        [false, true],
      ]) as [boolean, boolean];
      const question = `Do you come to ${title} ${slot.text}?`;
      draft.user(
        `Ask ${one.name} and ${other.name} in Chats, each for themselves: "${question}" ${TELL_ONCE} ` +
          `When both have answered, put "${title}" into my calendar ${slot.text}, with those as attendees who come. ${TELL_AGAIN}`,
      );
      const asked = [chat(draft, one, question), chat(draft, other, question)] as const;
      draft.tell(ASKED);
      answerChat(draft, asked[0], one, answers[0] ? 'Yes, I come.' : 'No, I cannot come.');
      answerChat(draft, asked[1], other, answers[1] ? 'Yes, I come.' : 'No, I cannot come.');
      addEvent(
        draft,
        title,
        slot,
        [one, other].filter((_, i) => answers[i]),
      );
      draft.tell(DONE);
    },
    'event comes back': (draft, universe) => {
      const { occasions, chance } = universe;
      const [occasion, slot] = [chance.one(occasions), freeSlot(universe)];
      const who = chance.one(occasion.attendees);
      draft.user(
        `${who.name} may take "${occasion.title}" out of my calendar. Tell me when you have read this; ` +
          `once it happens, put it back ${slot.text}, with ${who.name} as attendee. ${TELL_AGAIN}`,
      );
      draft.tell('I have read it.');
      const args = { event_id: occasion.id, who_delete: who.name };
      draft.world('Calendar', 'delete_calendar_event_by_attendee', args, { delay: ANSWER });
      addEvent(draft, occasion.title, slot, [who]);
      draft.tell(DONE);
    },
  },
  ['order is shipped', 'who of two', 'event comes back'],
);
