// Time: the task must be done at a given time. The agent has to wait; too early and too late both fail.
import { formatDateTime } from '../../apps/support/clock.ts';
import { templatesOf } from '../template.ts';
import { hourText, type Person } from '../universe.ts';
import { chat, DONE, deleteEvent, mail, THEN_TELL } from './asks.ts';

const MINUTE = 60;

export const TIME = templatesOf(
  'time',
  {
    'chat in minutes': (draft, { people, words, chance }) => {
      const [to, text, minutes] = [chance.one(people), chance.one(words.sentences), chance.between(2, 5)];
      draft.user(`In exactly ${minutes} minutes, write to ${to.name} in Chats: "${text}" ${THEN_TELL}`);
      chat(draft, to, text, { delay: minutes * MINUTE });
      draft.tell(DONE);
    },
    'mail at a time': (draft, { start, people, words, chance }) => {
      const [to, subject, text] = [chance.one(people), chance.one(words.subjects), chance.one(words.sentences)];
      const minutes = chance.between(2, 6);
      const time = hourText(start + minutes * MINUTE);
      draft.user(
        `At ${time} today, send an email to ${to.name} with the subject "${subject}" and this text: "${text}" ${THEN_TELL}`,
      );
      mail(draft, to, subject, text, { delay: minutes * MINUTE });
      draft.tell(DONE);
    },
    'delete event in minutes': (draft, { occasions, chance }) => {
      const [occasion, minutes] = [chance.one(occasions), chance.between(2, 5)];
      draft.user(`In exactly ${minutes} minutes, remove "${occasion.title}" from my calendar. ${THEN_TELL}`);
      deleteEvent(draft, occasion, { delay: minutes * MINUTE });
      draft.tell(DONE);
    },
    'save flat at a time': (draft, { start, flats, chance }) => {
      const [flat, minutes] = [chance.one(flats), chance.between(2, 5)];
      const time = hourText(start + minutes * MINUTE);
      draft.user(`At ${time} today, save the apartment ${flat.name} to my favorites. ${THEN_TELL}`);
      draft.oracle('RentAFlat', 'save_apartment', { apartment_id: flat.id }, { delay: minutes * MINUTE });
      draft.tell(DONE);
    },
    'now and again': (draft, { people, words, chance }) => {
      const [to, minutes] = [chance.one(people), chance.between(2, 4)];
      const [one, other] = chance.some(words.sentences, 2) as [string, string];
      draft.user(
        `Write to ${to.name} in Chats: "${one}" Exactly ${minutes} minutes later write: "${other}" ${THEN_TELL}`,
      );
      const first = chat(draft, to, one);
      chat(draft, to, other, { after: [first], delay: minutes * MINUTE });
      draft.tell(DONE);
    },
    'three times': (draft, { people, words, chance }) => {
      const [group, text] = [chance.some(people, 3), chance.one(words.sentences)];
      const [a, b, c] = group as [Person, Person, Person];
      draft.user(
        `Write to ${a.name} in Chats: "${text}" Two minutes later write the same to ${b.name}, and two minutes after that to ${c.name}. ${THEN_TELL}`,
      );
      const first = chat(draft, a, text);
      const second = chat(draft, b, text, { after: [first], delay: 2 * MINUTE });
      chat(draft, c, text, { after: [second], delay: 2 * MINUTE });
      draft.tell(DONE);
    },
    'after a mail': (draft, { people, words, chance }) => {
      const [who, text, minutes] = [chance.one(people), chance.one(words.sentences), chance.between(2, 4)];
      draft.user(
        `An email from ${who.name} is going to come. Exactly ${minutes} minutes after it has come, write to ${who.name} in Chats: "${text}" ${THEN_TELL}`,
      );
      const letter = { sender: who.email, subject: chance.one(words.subjects), content: chance.one(words.sentences) };
      draft.world('Emails', 'send_email_to_user_only', letter, { delay: chance.between(40, 90) });
      chat(draft, who, text, { delay: minutes * MINUTE });
      draft.tell(DONE);
    },
    'cancel order in minutes': (draft, { orders, chance }) => {
      const [order, minutes] = [chance.one(orders), chance.between(2, 5)];
      draft.user(`In exactly ${minutes} minutes, cancel my order of the ${order.product.name}. ${THEN_TELL}`);
      draft.oracle('Shopping', 'cancel_order', { order_id: order.id }, { delay: minutes * MINUTE });
      draft.tell(DONE);
    },
    'not before': (draft, { people, words, chance }) => {
      const [to, text, minutes] = [chance.one(people), chance.one(words.sentences), chance.between(2, 4)];
      draft.user(`Write to ${to.name} in Chats: "${text}" But wait for ${minutes} minutes at least. ${THEN_TELL}`);
      chat(draft, to, text, { delay: minutes * MINUTE, comparator: 'GREATER_THAN' });
      draft.tell(DONE);
    },
    'no later than': (draft, { people, words, chance }) => {
      const [to, text, minutes] = [chance.one(people), chance.one(words.sentences), chance.between(2, 4)];
      draft.user(`Write to ${to.name} in Chats within ${minutes} minutes: "${text}" ${THEN_TELL}`);
      chat(draft, to, text, { delay: minutes * MINUTE, comparator: 'LESS_THAN' });
      draft.tell(DONE);
    },
    'cab in minutes': (draft, { start, trips, chance }) => {
      const [trip, minutes] = [chance.one(trips), chance.between(2, 5)];
      const time = formatDateTime(start + 2 * 3600);
      draft.user(
        `In exactly ${minutes} minutes, order a cab of the service Default from ${trip.from} to ${trip.to} for ${time}. ${THEN_TELL}`,
      );
      const route = { start_location: trip.from, end_location: trip.to };
      draft.oracle(
        'Cabs',
        'order_ride',
        { ...route, service_type: 'Default', ride_time: time },
        { delay: minutes * MINUTE },
      );
      draft.tell(DONE);
    },
    'two at their times': (draft, { people, words, chance, occasions }) => {
      const [to, text, occasion] = [chance.one(people), chance.one(words.sentences), chance.one(occasions)];
      const [soon, late] = [chance.between(2, 3), chance.between(5, 6)];
      draft.user(
        `In exactly ${soon} minutes, write to ${to.name} in Chats: "${text}" In exactly ${late} minutes, remove "${occasion.title}" from my calendar. ${THEN_TELL}`,
      );
      chat(draft, to, text, { delay: soon * MINUTE });
      deleteEvent(draft, occasion, { delay: late * MINUTE });
      draft.tell(DONE);
    },
    'some time after a mail': (draft, { people, words, chance }) => {
      const [who, to, minutes] = [...(chance.some(people, 2) as [Person, Person]), chance.between(2, 4)] as const;
      const text = chance.one(words.sentences);
      draft.user(
        `An email from ${who.name} is going to come. Wait for ${minutes} minutes at least after it has come, then write to ${to.name} in Chats: "${text}" ${THEN_TELL}`,
      );
      const letter = { sender: who.email, subject: chance.one(words.subjects), content: chance.one(words.sentences) };
      draft.world('Emails', 'send_email_to_user_only', letter, { delay: chance.between(40, 90) });
      chat(draft, to, text, { delay: minutes * MINUTE, comparator: 'GREATER_THAN' });
      draft.tell(DONE);
    },
  },
  ['cab in minutes', 'two at their times', 'some time after a mail'],
);
