// Hands out the people, mails, events and words of a universe, each at most once, so that the parts of a composed task do not overlap.
import type { Chance } from '../chance.ts';
import { freeSlot, type Slot } from '../templates/asks.ts';
import type { Flat, Mail, Occasion, Order, Person, Product, Trip, Universe } from '../universe.ts';

export class Stock {
  readonly chance: Chance;
  private readonly left = new Map<string, unknown[]>();

  constructor(readonly universe: Universe) {
    this.chance = universe.chance;
  }

  /** Draws one of the remaining items. */
  private take<T>(what: string, all: readonly T[], fits: (one: T) => boolean = () => true): T {
    const left = (this.left.get(what) ?? [...all]) as T[];
    const one = this.chance.one(left.filter(fits));
    this.left.set(
      what,
      left.filter((other) => other !== one),
    );
    return one;
  }

  person = (fits?: (one: Person) => boolean): Person => this.take('person', this.universe.people, fits);
  mail = (fits?: (one: Mail) => boolean): Mail => this.take('mail', this.universe.mails, fits);
  occasion = (fits?: (one: Occasion) => boolean): Occasion => this.take('occasion', this.universe.occasions, fits);
  product = (): Product => this.take('product', this.universe.products);
  order = (): Order => this.take('order', this.universe.orders);
  flat = (fits?: (one: Flat) => boolean): Flat => this.take('flat', this.universe.flats, fits);
  trip = (): Trip => this.take('trip', this.universe.trips);
  sentence = (): string => this.take('sentence', this.universe.words.sentences);
  /** A subject that no mail has. */
  subject = (): string =>
    this.take(
      'subject',
      this.universe.words.subjects,
      (one) => !this.universe.mails.some((mail) => mail.subject === one),
    );
  /** A title that no event has. */
  title = (): string =>
    this.take(
      'title',
      this.universe.words.occasions,
      (one) => !this.universe.occasions.some(({ title }) => title === one),
    );
  /** A name whose two parts nobody has. */
  stranger(): { first: string; last: string } {
    const { user, people, words } = this.universe;
    const known = [user, ...people];
    return {
      first: this.take('first', words.first, (one) => !known.some(({ first }) => first === one)),
      last: this.take('last', words.last, (one) => !known.some(({ last }) => last === one)),
    };
  }
  slot = (): Slot => freeSlot(this.universe);
  minutes = (from = 2, to = 5): number => this.chance.between(from, to);
}
