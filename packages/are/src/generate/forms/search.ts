// Composed search tasks: a fact about a person, with different ways to refer to them; two such questions; and facts from other apps.
import type { Template } from '../template.ts';
import { dateText, hourText, type Occasion, type Person } from '../universe.ts';
import { type NamedBy, namedBy } from './acts.ts';
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

const WHOSE = ['name', 'phone', 'email', 'city', 'job', 'sender', 'attendee'] as const satisfies readonly NamedBy[];
/** Facts that the reference to the person does not contain. */
const remainingFacts = (whose: NamedBy): FactId[] => FACT_IDS.filter((id) => id !== whose);

/** A question, and the facts that answer it. */
type Question = readonly [asked: string, facts: string];

const asks =
  (question: (stock: Stock) => Question): Template['write'] =>
  (draft, universe) => {
    const [asked, facts] = question(new Stock(universe));
    draft.user(asked);
    draft.tell(`It is ${facts}.`);
  };

/** Leaves one event with a single attendee, so that "the attendee" is unambiguous. */
const asksOfNamed =
  (question: (stock: Stock) => Question): Template['write'] =>
  (draft, given) => {
    const [first, ...others] = given.occasions as [Occasion, ...Occasion[]];
    const universe = { ...given, occasions: [{ ...first, attendees: first.attendees.slice(0, 1) }, ...others] };
    draft.happensIn(universe);
    asks(question)(draft, universe);
  };

const ofPeople: Writers = Object.fromEntries(
  WHOSE.flatMap((whose) =>
    remainingFacts(whose).map((fact) => [
      `${fact} by ${whose}`,
      asksOfNamed((stock) => {
        const { person, words } = namedBy(whose, stock);
        return [`What is ${FACTS[fact].ask} of ${words}?`, FACTS[fact].of(person)];
      }),
    ]),
  ),
);

const ofTwo: Writers = Object.fromEntries(
  OF_NAMED.flatMap((one) =>
    OF_NAMED.map((other) => [
      `${one} of one, ${other} of another`,
      asks((stock) => {
        const [a, b] = [stock.person(), stock.person()];
        return [
          `What is ${FACTS[one].ask} of ${a.name}, and what is ${FACTS[other].ask} of ${b.name}?`,
          `${FACTS[one].of(a)} and ${FACTS[other].of(b)}`,
        ];
      }),
    ]),
  ),
);

/** Two facts about one person, for each way to refer to them. */
const ofOnePerson: Writers = Object.fromEntries(
  WHOSE.flatMap((whose) =>
    remainingFacts(whose).flatMap((one) =>
      remainingFacts(whose)
        .filter((other) => other !== one)
        .map((other) => [
          whose === 'name' ? `${one} and ${other}` : `${one} and ${other} by ${whose}`,
          asksOfNamed((stock) => {
            const { person, words } = namedBy(whose, stock);
            return [
              `What are ${FACTS[one].ask} and ${FACTS[other].ask} of ${words}?`,
              `${FACTS[one].of(person)} and ${FACTS[other].of(person)}`,
            ];
          }),
        ]),
    ),
  ),
);

/** Facts about two people who are referred to in different ways. */
const ofTwoNamed: Writers = Object.fromEntries(
  WHOSE.flatMap((whose) =>
    remainingFacts(whose).flatMap((one) =>
      WHOSE.filter((theirs) => theirs !== whose).flatMap((theirs) =>
        remainingFacts(theirs).map((other) => [
          `${one} by ${whose}, ${other} by ${theirs}`,
          asksOfNamed((stock) => {
            const [a, b] = [namedBy(whose, stock), namedBy(theirs, stock)];
            return [
              `What is ${FACTS[one].ask} of ${a.words}, and what is ${FACTS[other].ask} of ${b.words}?`,
              `${FACTS[one].of(a.person)} and ${FACTS[other].of(b.person)}`,
            ];
          }),
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
    Object.entries(FLAT).map(([id, { ask, of }]) => [
      `${id} of flat`,
      asks((stock) => {
        const flat = stock.flat();
        return [`What is ${ask} of the apartment ${flat.name}?`, of(flat)];
      }),
    ]),
  ),
  'begin of event': asks((stock) => {
    const { title, start } = stock.occasion();
    return [
      `On which date and at which time does "${title}" in my calendar begin?`,
      `${dateText(start)} at ${hourText(start)}`,
    ];
  }),
  'attendees of event': asks((stock) => {
    const { title, attendees } = stock.occasion();
    return [`Who attends "${title}" in my calendar?`, attendees.map(({ name }) => name).join(' and ')];
  }),
  'price of product': asks((stock) => {
    const product = stock.product();
    const variant = stock.chance.one(product.variants);
    return [`What does the ${product.name} in ${variant.color} cost?`, String(variant.price)];
  }),
};

export const SEARCH_FORMS: Writers = { ...ofPeople, ...ofTwo, ...ofOnePerson, ...ofTwoNamed, ...ofThings };
