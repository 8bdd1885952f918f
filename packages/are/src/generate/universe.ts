// A small universe: a user, their contacts, and the contents of the apps of their phone, all drawn from a seed. Names are unique, so that a task
// can refer to things by name: no two people share a first name, no two mails a subject, no two events a title.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { formatDateTime, secondsOfDay } from '../apps/support/clock.ts';
import { type Chance, chanceOf } from './chance.ts';
import { type Words, wordsOf } from './words.ts';

export interface Person {
  id: string;
  first: string;
  last: string;
  name: string;
  email: string;
  phone: string;
  city: string;
  job: string;
}
export interface Mail {
  id: string;
  from: Person;
  subject: string;
  content: string;
  /** Seconds since 1970. */
  time: number;
}
export interface Occasion {
  id: string;
  title: string;
  start: number;
  end: number;
  attendees: readonly Person[];
}
interface Variant {
  id: string;
  color: string;
  price: number;
}
export interface Product {
  id: string;
  name: string;
  variants: readonly Variant[];
}
export interface Order {
  id: string;
  product: Product;
  variant: Variant;
}
export interface Flat {
  id: string;
  name: string;
  area: string;
  zip: string;
  price: number;
  bedrooms: number;
}
export interface Trip {
  from: string;
  to: string;
  km: number;
  price: number;
}

export interface Universe {
  /** Seconds since 1970, at seven in the morning. */
  readonly start: number;
  readonly words: Words;
  readonly chance: Chance;
  readonly user: Person;
  readonly people: readonly Person[];
  readonly mails: readonly Mail[];
  readonly occasions: readonly Occasion[];
  readonly products: readonly Product[];
  readonly orders: readonly Order[];
  readonly flats: readonly Flat[];
  /** Rates of violent crime by zip code. */
  readonly crime: ReadonlyMap<string, number>;
  readonly trips: readonly Trip[];
}

/** Number of each kind of thing. */
export interface UniverseSize {
  people: number;
  mails: number;
  occasions: number;
  products: number;
}
export const DEFAULT_SIZE: UniverseSize = { people: 6, mails: 5, occasions: 5, products: 4 };
/** A smaller size, which keeps search results short. */
export const SMALL_SIZE: UniverseSize = { people: 4, mails: 3, occasions: 3, products: 3 };
/** Smallest and largest numbers: tasks need at least the first, and the word lists have the second. */
const SIZES: Readonly<Record<keyof UniverseSize, readonly [number, number]>> = {
  people: [3, 7],
  mails: [2, 8],
  occasions: [2, 7],
  products: [2, 6],
};

const HOUR = 3600;
const DAY = 24 * HOUR;
const COLORS = ['red', 'blue', 'green', 'grey', 'white'] as const;

/** Draws an id in the format of the apps' ids. */
const idOf = (chance: Chance): string => Array.from({ length: 32 }, () => '0123456789abcdef'[chance.int(16)]).join('');

export function universeOf(seed: number, isHeldOut: boolean, sizes: Partial<UniverseSize> = {}): Universe {
  const size = { ...DEFAULT_SIZE, ...sizes };
  for (const [what, [least, most]] of Object.entries(SIZES)) {
    const count = size[what as keyof UniverseSize];
    if (!(Number.isInteger(count) && count >= least && count <= most))
      throw new SpecError(`a universe of ${count} ${what}`, `Ask for ${least} to ${most}.`);
  }
  const chance = chanceOf(seed, `universe ${isHeldOut ? 'held out' : 'training'}`);
  const words = wordsOf(isHeldOut);
  const start = secondsOfDay(2024, 10, 14) + chance.int(60) * DAY + 7 * HOUR;
  const [user, ...people] = peopleOf(words, chance, size.people + 1) as [Person, ...Person[]];
  const products = productsOf(words, chance, size.products);
  const flats = flatsOf(words, chance);
  return {
    start,
    words,
    chance,
    user,
    people,
    mails: mailsOf(words, chance, people, start, size.mails),
    occasions: occasionsOf(words, chance, people, start, size.occasions),
    products,
    orders: chance
      .some(products, 2)
      .map((product) => ({ id: idOf(chance), product, variant: chance.one(product.variants) })),
    flats,
    crime: new Map(flats.map(({ zip }, i) => [zip, 10 + 7 * i + chance.int(6)])),
    trips: tripsOf(words, chance),
  };
}

function peopleOf(words: Words, chance: Chance, count: number): Person[] {
  const firsts = chance.some(words.first, count);
  const lasts = chance.some(words.last, count);
  const cities = chance.some(words.cities, count);
  const jobs = chance.some(words.jobs, count);
  const numbers = new Set<string>();
  while (numbers.size < count) numbers.add(`+4755${chance.between(100000, 999999)}`);
  const phones = [...numbers];
  return firsts.map((first, i) => {
    const last = lasts[i] as string;
    const email = `${first}.${last}@example.org`.toLowerCase();
    const [phone, city, job] = [phones[i] as string, cities[i] as string, jobs[i] as string];
    return { id: idOf(chance), first, last, name: `${first} ${last}`, email, phone, city, job };
  });
}

const mailsOf = (words: Words, chance: Chance, people: readonly Person[], start: number, count: number): Mail[] =>
  chance
    .some(words.subjects, count)
    .map((subject, i) => ({
      id: idOf(chance),
      from: chance.one(people),
      subject,
      content: chance.one(words.sentences),
      time: start - (i + 1) * 5 * HOUR - chance.int(HOUR),
    }));

/** Draws one event for each day from tomorrow on, at whole hours. */
const occasionsOf = (
  words: Words,
  chance: Chance,
  people: readonly Person[],
  start: number,
  count: number,
): Occasion[] =>
  chance.some(words.occasions, count).map((title, i) => {
    const from = start + (i + 1) * DAY + chance.between(2, 8) * HOUR;
    const attendees = chance.some(people, chance.between(1, 2));
    return { id: idOf(chance), title, start: from, end: from + chance.between(1, 2) * HOUR, attendees };
  });

const productsOf = (words: Words, chance: Chance, count: number): Product[] =>
  chance
    .some(words.products, count)
    .map((name) => ({
      id: idOf(chance),
      name,
      variants: chance
        .some(COLORS, 2)
        .map((color) => ({ id: idOf(chance), color, price: chance.between(10, 90) + 0.5 })),
    }));

/** Draws apartments of different prices. */
function flatsOf(words: Words, chance: Chance): Flat[] {
  const steps = chance.some([0, 1, 2, 3, 4, 5], 6);
  return chance
    .some(words.flats, 6)
    .map((name, i) => ({
      id: idOf(chance),
      name,
      area: words.areas[i % words.areas.length] as string,
      zip: String(10115 + 111 * i),
      price: 800 + 150 * (steps[i] as number) + chance.int(100) + 0.5,
      bedrooms: chance.between(1, 3),
    }));
}

function tripsOf(words: Words, chance: Chance): Trip[] {
  const places = chance.some(words.places, 4);
  return [0, 2].map((i) => ({
    from: places[i] as string,
    to: places[i + 1] as string,
    km: chance.between(5, 20) + 0.5,
    price: chance.between(8, 40) + 0.5,
  }));
}

/** Formats a date as `2024-10-18`. */
export const dateText = (seconds: number): string => formatDateTime(seconds).slice(0, 10);
/** Formats a time as `18:00`. */
export const hourText = (seconds: number): string => formatDateTime(seconds).slice(11, 16);
