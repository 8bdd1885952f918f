// Forms of tasks that require adaptation: the environment acts or a person answers, and the agent's next action depends on it.
import { type Draft, resultOf } from '../draft.ts';
import type { Template } from '../template.ts';
import { chat, DONE, deleteEvent, mail } from '../templates/asks.ts';
import { dateText, hourText } from '../universe.ts';
import { ACT_IDS, actOf, buy, PAIRS } from './acts.ts';
import { Stock } from './stock.ts';

type Writers = Record<string, Template['write']>;

/** Seconds until the environment acts or answers. */
const ANSWER_SECONDS = 30;
const READ = 'I have read it.';
const TELL_ONCE = 'Tell me when it is done.';
const TELL_READ = 'Tell me when you have read this.';
const TELL_AGAIN = 'Then tell me that it is done.';

/** Ways to ask a question, by medium: the user's words, and the call and answer that follow. */
const QUESTIONS: Readonly<
  Record<string, (draft: Draft, stock: Stock) => { words: string; answered(content: string): void }>
> = {
  mail: (draft, stock) => {
    const [who, subject, slot] = [stock.person(), stock.subject(), stock.slot()];
    const question = `Does ${dateText(slot.start)} at ${hourText(slot.start)} suit you?`;
    return {
      words: `Send an email to ${who.name} with the subject "${subject}" and this text: "${question}"`,
      answered(content) {
        const asked = mail(draft, who, subject, question);
        draft.tell(DONE);
        const args = { sender: who.email, email_id: resultOf(asked), content };
        draft.world('Emails', 'reply_to_email_from_user', args, { delay: ANSWER_SECONDS });
      },
    };
  },
  chat: (draft, stock) => {
    const [who, slot] = [stock.person(), stock.slot()];
    const question = `Does ${dateText(slot.start)} at ${hourText(slot.start)} suit you?`;
    return {
      words: `Write to ${who.name} in a chat: "${question}"`,
      answered(content) {
        const asked = chat(draft, who, question);
        draft.tell(DONE);
        const args = { conversation_id: resultOf(asked), sender_id: who.id, content };
        draft.world('Chats', 'create_and_add_message', args, { delay: ANSWER_SECONDS });
      },
    };
  },
};
const YES = ['Yes, that suits me.', 'Yes, gladly.'] as const;
const NO = ['No, I am sorry.', 'No, I have no time.'] as const;

const answers: Writers = Object.fromEntries(
  Object.entries(QUESTIONS).flatMap(([medium, asked]) =>
    PAIRS.map(([ifYes, ifNo]): [string, Template['write']] => [
      `answer by ${medium}, yes: ${ifYes}, no: ${ifNo}`,
      (draft, universe) => {
        const stock = new Stock(universe);
        const { words, answered } = asked(draft, stock);
        const [yes, no] = [actOf(ifYes, stock), actOf(ifNo, stock)];
        const isYes = stock.chance.int(2) === 0;
        draft.user(`${words} ${TELL_ONCE} If the answer is yes, ${yes.words}; if it is no, ${no.words}. ${TELL_AGAIN}`);
        answered(stock.chance.one(isYes ? YES : NO));
        (isYes ? yes : no).done(draft);
        draft.tell(DONE);
      },
    ]),
  ),
);

/** Events that the task waits for: the user's first words, then the agent's action and the environment's event. */
const HAPPENINGS: Readonly<Record<string, (draft: Draft, stock: Stock) => { words: string; happens(): void }>> = {
  'event is removed': (draft, stock) => {
    const occasion = stock.occasion();
    const who = stock.chance.one(occasion.attendees);
    return {
      words: `${who.name} may remove "${occasion.title}" from my calendar. ${TELL_READ} Once it happens,`,
      happens() {
        draft.tell(READ);
        const args = { event_id: occasion.id, who_delete: who.name };
        draft.world('Calendar', 'delete_calendar_event_by_attendee', args, { delay: ANSWER_SECONDS });
      },
    };
  },
  'mail comes': (draft, stock) => {
    const [who, subject] = [stock.person(), stock.subject()];
    return {
      words: `An email from ${who.name} is going to come. ${TELL_READ} Once it is there,`,
      happens() {
        draft.tell(READ);
        const args = { sender: who.email, subject, content: stock.sentence() };
        draft.world('Emails', 'send_email_to_user_only', args, { delay: ANSWER_SECONDS });
      },
    };
  },
  'driver cancels': (draft, stock) => {
    const ride = actOf('cab', stock);
    return {
      words: `${ride.words.replace(/^./, (c) => c.toUpperCase())}. ${TELL_ONCE} Should the driver cancel,`,
      happens() {
        ride.done(draft);
        draft.tell(DONE);
        draft.world('Cabs', 'cancel_ride', { who_cancel: 'driver' }, { delay: ANSWER_SECONDS });
      },
    };
  },
  'shop cancels': (draft, stock) => {
    const product = stock.product();
    const variant = stock.chance.one(product.variants);
    return {
      words: `Buy 1 of the ${product.name} in ${variant.color}. ${TELL_ONCE} Should the shop cancel the order,`,
      happens() {
        const order = buy(draft, variant.id, 1);
        draft.tell(DONE);
        draft.world('Shopping', 'cancel_order', { order_id: resultOf(order) }, { delay: ANSWER_SECONDS });
      },
    };
  },
  'event is added': (draft, stock) => {
    const [occasion, who, title] = [stock.occasion(), stock.person(), stock.title()];
    return {
      words: `${who.name} may put something into my calendar at the time of "${occasion.title}". ${TELL_READ} Once it happens, remove "${occasion.title}" and`,
      happens() {
        draft.tell(READ);
        const [start_datetime, end_datetime] = [occasion.start, occasion.end].map(at);
        const args = { who_add: who.name, title, start_datetime, end_datetime } as Record<string, string>;
        draft.world('Calendar', 'add_calendar_event_by_attendee', args, { delay: ANSWER_SECONDS });
        deleteEvent(draft, occasion);
      },
    };
  },
};
const at = (seconds: number): string => `${dateText(seconds)} ${hourText(seconds)}:00`;

const happenings: Writers = Object.fromEntries(
  Object.entries(HAPPENINGS).flatMap(([name, happening]) =>
    ACT_IDS.map((id): [string, Template['write']] => [
      `${name}: ${id}`,
      (draft, universe) => {
        const stock = new Stock(universe);
        const { words, happens } = happening(draft, stock);
        const act = actOf(id, stock);
        draft.user(`${words} ${act.words}. ${TELL_AGAIN}`);
        happens();
        act.done(draft);
        draft.tell(DONE);
      },
    ]),
  ),
);

export const ADAPTABILITY_FORMS: Writers = { ...answers, ...happenings };
