// Composed search: what is asked of whom, and how they are named; two such questions at once; and what else the apps know.
import type { Template } from '../template.ts';
import { dateText, hourText, type Person } from '../universe.ts';
import { Stock } from './stock.ts';

type Writers = Record<string, Template['write']>;

const FACTS = {
  name: { ask: 'the full name', of: ({ name }: Person) => name },
  phone: { ask: 'the phone number', of: ({ phone }: Person) => phone },
  email: { ask: 'the email address', of: ({ email }: Person) => email },
  city: { ask: 'the home city', of: ({ city }: Person) => city },
  job: { ask: 'the job', of: ({ job }: Person) => job },
} as const;
type FactId = keyof typeof FACTS;
const FACT_IDS = Object.keys(FACTS) as FactId[];
const OF_NAMED = FACT_IDS.filter((id) => id !== 'name');

/** How the person is named, and what of them is thereby said. */
const WHOSE: Readonly<
  Record<string, { said: FactId | null; named: (stock: Stock) => { person: Person; words: string } }>
> = {
  name: { said: 'name', named: (stock) => with_(stock.person(), ({ name }) => name) },
  phone: {
    said: 'phone',
    named: (stock) => with_(stock.person(), ({ phone }) => `my contact with the phone number ${phone}`),
  },
  email: {
    said: 'email',
    named: (stock) => with_(stock.person(), ({ email }) => `my contact with the email address ${email}`),
  },
  city: { said: 'city', named: (stock) => with_(stock.person(), ({ city }) => `my contact who lives in ${city}`) },
  job: { said: 'job', named: (stock) => with_(stock.person(), ({ job }) => `my contact whose job is ${job}`) },
  sender: {
    said: null,
    named: (stock) => {
      const { from, subject } = stock.mail();
      return { person: from, words: `the sender of the email "${subject}"` };
    },
  },
  attendee: {
    said: null,
    named: (stock) => {
      const { attendees, title } = stock.occasion(({ attendees }) => attendees.length === 1);
      return { person: attendees[0] as Person, words: `the attendee of "${title}"` };
    },
  },
};
const with_ = (person: Person, words: (person: Person) => string) => ({ person, words: words(person) });

const is = (facts: string): string => `It is ${facts}.`;

/** One event has one attendee, so that there is an attendee to speak of. */
const oneAttendee: (universe: Parameters<Template['write']>[1]) => Parameters<Template['write']>[1] = (universe) => ({
  ...universe,
  occasions: universe.occasions.map((one, i) => (i === 0 ? { ...one, attendees: one.attendees.slice(0, 1) } : one)),
});

const ofPeople: Writers = Object.fromEntries(
  Object.entries(WHOSE).flatMap(([whose, { said, named }]) =>
    FACT_IDS.filter((fact) => fact !== said).map((fact): [string, Template['write']] => [
      `${fact} by ${whose}`,
      (draft, given) => {
        const universe = oneAttendee(given);
        draft.happensIn(universe);
        const { person, words } = named(new Stock(universe));
        draft.user(`What is ${FACTS[fact].ask} of ${words}?`);
        draft.tell(is(FACTS[fact].of(person)));
      },
    ]),
  ),
);

const ofTwo: Writers = Object.fromEntries(
  OF_NAMED.flatMap((one) =>
    OF_NAMED.map((other): [string, Template['write']] => [
      `${one} of one, ${other} of another`,
      (draft, universe) => {
        const stock = new Stock(universe);
        const [a, b] = [stock.person(), stock.person()];
        draft.user(`What is ${FACTS[one].ask} of ${a.name}, and what is ${FACTS[other].ask} of ${b.name}?`);
        draft.tell(is(`${FACTS[one].of(a)} and ${FACTS[other].of(b)}`));
      },
    ]),
  ),
);

/** Two facts of one, however they are named. */
const ofOnePerson: Writers = Object.fromEntries(
  Object.entries(WHOSE).flatMap(([whose, { said, named }]) =>
    FACT_IDS.filter((one) => one !== said).flatMap((one) =>
      FACT_IDS.filter((other) => other !== said && other !== one).map((other): [string, Template['write']] => [
        whose === 'name' ? `${one} and ${other}` : `${one} and ${other} by ${whose}`,
        (draft, given) => {
          const universe = oneAttendee(given);
          draft.happensIn(universe);
          const { person, words } = named(new Stock(universe));
          draft.user(`What are ${FACTS[one].ask} and ${FACTS[other].ask} of ${words}?`);
          draft.tell(is(`${FACTS[one].of(person)} and ${FACTS[other].of(person)}`));
        },
      ]),
    ),
  ),
);

/** A fact of one and a fact of another, each named in a way of their own. */
const ofTwoNamed: Writers = Object.fromEntries(
  Object.entries(WHOSE).flatMap(([whose, first]) =>
    FACT_IDS.filter((one) => one !== first.said).flatMap((one) =>
      Object.entries(WHOSE)
        .filter(([other]) => other !== whose)
        .flatMap(([theirs, second]) =>
          FACT_IDS.filter((other) => other !== second.said).map((other): [string, Template['write']] => [
            `${one} by ${whose}, ${other} by ${theirs}`,
            (draft, given) => {
              const universe = oneAttendee(given);
              draft.happensIn(universe);
              const stock = new Stock(universe);
              const [a, b] = [first.named(stock), second.named(stock)];
              draft.user(`What is ${FACTS[one].ask} of ${a.words}, and what is ${FACTS[other].ask} of ${b.words}?`);
              draft.tell(is(`${FACTS[one].of(a.person)} and ${FACTS[other].of(b.person)}`));
            },
          ]),
        ),
    ),
  ),
);

const FLAT = {
  price: { ask: 'the price', of: ({ price }: { price: number }) => String(price) },
  area: { ask: 'the area', of: ({ area }: { area: string }) => area },
  zip: { ask: 'the zip code', of: ({ zip }: { zip: string }) => zip },
} as const;

const ofThings: Writers = {
  ...Object.fromEntries(
    (Object.keys(FLAT) as (keyof typeof FLAT)[]).map((id): [string, Template['write']] => [
      `${id} of flat`,
      (draft, universe) => {
        const flat = new Stock(universe).flat();
        draft.user(`What is ${FLAT[id].ask} of the apartment ${flat.name}?`);
        draft.tell(is(FLAT[id].of(flat)));
      },
    ]),
  ),
  'begin of event': (draft, universe) => {
    const { title, start } = new Stock(universe).occasion();
    draft.user(`On which date and at which time does "${title}" in my calendar begin?`);
    draft.tell(is(`${dateText(start)} at ${hourText(start)}`));
  },
  'attendees of event': (draft, universe) => {
    const { title, attendees } = new Stock(universe).occasion();
    draft.user(`Who attends "${title}" in my calendar?`);
    draft.tell(is(attendees.map(({ name }) => name).join(' and ')));
  },
  'price of product': (draft, universe) => {
    const stock = new Stock(universe);
    const product = stock.product();
    const variant = stock.chance.one(product.variants);
    draft.user(`What does the ${product.name} in ${variant.color} cost?`);
    draft.tell(is(String(variant.price)));
  },
};

export const SEARCH_FORMS: Writers = { ...ofPeople, ...ofTwo, ...ofOnePerson, ...ofTwoNamed, ...ofThings };
