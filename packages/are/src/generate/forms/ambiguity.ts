// Forms of ambiguous tasks: an unclear request, alone or after a clear one. The agent must do the clear one, ask about the unclear one, and act
// on the answer.
import type { Draft } from '../draft.ts';
import type { Template } from '../template.ts';
import { namesakes } from '../templates/ambiguity.ts';
import { addEvent, chat, DONE, deleteEvent, mail, THEN_TELL } from '../templates/asks.ts';
import { dateText, hourText, type Mail, type Occasion, type Person, type Universe } from '../universe.ts';
import { ACT_IDS, actOf, buy, forward, reply, SOMEBODY_IDS, sentence, TO_SOMEBODY, trash } from './acts.ts';
import { Stock } from './stock.ts';

/** Seconds until the user answers. */
const ANSWER_SECONDS = 20;

interface Unclear {
  /** The things of the ambiguous universe that the request does not use. */
  readonly stock: Stock;
  readonly words: string;
  readonly question: string;
  readonly answer: string;
  done(draft: Draft): string;
}
type Kind = (universe: Universe) => Unclear;

const withoutRecipient =
  (act: (stock: Stock, to: Person) => Pick<Unclear, 'words' | 'done'>): Kind =>
  (universe) => {
    const stock = new Stock(universe);
    const to = stock.person();
    return { stock, question: 'To whom?', answer: `To ${to.name}.`, ...act(stock, to) };
  };

const KINDS: Readonly<Record<string, Kind>> = {
  ...Object.fromEntries(
    SOMEBODY_IDS.map((id): [string, Kind] => [
      `${id} to a namesake`,
      (given) => {
        const { universe, one, other, meant } = namesakes(given);
        const stock = new Stock(universe);
        for (const namesake of [one, other]) stock.person((person) => person === namesake);
        const act = TO_SOMEBODY[id](stock, { person: meant, words: meant.first });
        const question = `Do you mean ${one.name} or ${other.name}?`;
        return { ...act, stock, question, answer: `I mean ${meant.name}.` };
      },
    ]),
  ),
  'mail to nobody': withoutRecipient((stock, to) => {
    const [subject, text] = [stock.subject(), stock.sentence()];
    return {
      words: `send an email with the subject "${subject}" and this text: "${text}"`,
      done: (draft) => mail(draft, to, subject, text),
    };
  }),
  'chat to nobody': withoutRecipient((stock, to) => {
    const text = stock.sentence();
    return { words: `write in a chat: "${text}"`, done: (draft) => chat(draft, to, text) };
  }),
  'forward to nobody': withoutRecipient((stock, to) => {
    const email = stock.mail();
    return { words: `forward the email "${email.subject}"`, done: (draft) => forward(draft, email, to) };
  }),
  'event without times': (universe) => {
    const stock = new Stock(universe);
    const [title, slot, who] = [stock.title(), stock.slot(), stock.person()];
    return {
      stock,
      question: 'At which time does it begin and end?',
      words: `put "${title}" into my calendar on ${dateText(slot.start)} with ${who.name} as attendee`,
      answer: `From ${hourText(slot.start)} to ${hourText(slot.end)}.`,
      done: (draft) => addEvent(draft, title, slot, [who]),
    };
  },
  'which event': (given) => {
    const [one, second, ...rest] = given.occasions as [Occasion, Occasion, ...Occasion[]];
    const other = { ...second, title: one.title };
    const universe = { ...given, occasions: [one, other, ...rest] };
    const stock = new Stock(universe);
    for (const same of [one, other]) stock.occasion((occasion) => occasion === same);
    const meant = stock.chance.one([one, other]);
    return {
      stock,
      words: `remove "${one.title}" from my calendar`,
      question: `The one on ${dateText(one.start)} or on ${dateText(other.start)}?`,
      answer: `The one on ${dateText(meant.start)}.`,
      done: (draft) => deleteEvent(draft, meant),
    };
  },
  'delete which mail': whichMail(
    ({ subject }) => `delete the email "${subject}" from my inbox`,
    (draft, meant) => trash(draft, meant),
  ),
  'reply to which mail': (universe) => {
    const text = universe.chance.one(universe.words.sentences);
    return whichMail(
      ({ subject }) => `reply to the email "${subject}" with this text: "${text}"`,
      (draft, meant) => reply(draft, meant, text),
    )(universe);
  },
  'which color': (universe) => {
    const stock = new Stock(universe);
    const product = stock.product();
    const [one, other] = product.variants as [(typeof product.variants)[0], (typeof product.variants)[0]];
    const [meant, quantity] = [stock.chance.one([one, other]), stock.chance.between(1, 3)];
    return {
      stock,
      words: `buy ${quantity} of the ${product.name}`,
      answer: `In ${meant.color}.`,
      question: `In ${one.color} or in ${other.color}?`,
      done: (draft) => buy(draft, meant.id, quantity),
    };
  },
  'which flat': (universe) => {
    const stock = new Stock(universe);
    const area = stock.chance.one(universe.words.areas);
    const found = universe.flats.filter((flat) => flat.area === area);
    for (const one of found) stock.flat((flat) => flat === one);
    const meant = stock.chance.one(found);
    return {
      stock,
      words: `save the apartment in ${area} to my favorites`,
      answer: `I mean ${meant.name}.`,
      question: `Do you mean ${found.map(({ name }) => name).join(' or ')}?`,
      done: (draft) => draft.oracle('RentAFlat', 'save_apartment', { apartment_id: meant.id }),
    };
  },
};

function whichMail(words: (mail: Mail) => string, done: (draft: Draft, meant: Mail) => string): Kind {
  return (given) => {
    const [one, second, ...rest] = given.mails as [Mail, Mail, ...Mail[]];
    const from = given.people.find((person) => person !== one.from)!;
    const other = { ...second, from, subject: one.subject };
    const universe = { ...given, mails: [one, other, ...rest] };
    const stock = new Stock(universe);
    for (const same of [one, other]) stock.mail((mail) => mail === same);
    const meant = stock.chance.one([one, other]);
    return {
      stock,
      words: words(one),
      answer: `The one from ${meant.from.name}.`,
      question: `The one from ${one.from.name} or from ${from.name}?`,
      done: (draft) => done(draft, meant),
    };
  };
}

const alone =
  (kind: Kind): Template['write'] =>
  (draft, given) => {
    const unclear = kind(given);
    draft.happensIn(unclear.stock.universe);
    draft.user(`${sentence(unclear.words)} ${THEN_TELL}`);
    draft.tell(unclear.question);
    draft.user(unclear.answer, ANSWER_SECONDS);
    unclear.done(draft);
    draft.tell(DONE);
  };

const afterClear =
  (id: string, kind: Kind): Template['write'] =>
  (draft, given) => {
    const unclear = kind(given);
    draft.happensIn(unclear.stock.universe);
    const clear = actOf(id, unclear.stock);
    draft.user(`${sentence(clear.words)} Then ${unclear.words}${unclear.words.endsWith('"') ? '' : '.'} ${THEN_TELL}`);
    clear.done(draft);
    draft.tell(unclear.question);
    draft.user(unclear.answer, ANSWER_SECONDS);
    unclear.done(draft);
    draft.tell(DONE);
  };

/** Forms that are left out because the stock has too few things left after the unclear request. */
const TOO_FEW: readonly string[] = ['which flat with save flat'];

export const AMBIGUITY_FORMS: Record<string, Template['write']> = Object.fromEntries(
  Object.entries(KINDS).flatMap(([name, kind]): [string, Template['write']][] => [
    [name, alone(kind)],
    ...ACT_IDS.filter((id) => !TOO_FEW.includes(`${name} with ${id}`)).map((id): [string, Template['write']] => [
      `${id}, then ${name}`,
      afterClear(id, kind),
    ]),
  ]),
);
