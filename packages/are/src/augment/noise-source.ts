// Material of noise: the apps that a scenario file contains for it, or a generated universe with other words than the scenario's own.
import type { Universe } from '../generate/universe.ts';
import type { Trace } from '../scenario/schema.ts';
import type { Arg, Value, Values } from '../value.ts';

export interface NoiseSource {
  mails: readonly { sender: string; subject: string; content: string }[];
  messages: readonly string[];
  products: readonly { name: string; items: readonly { price: number; options: Readonly<Record<string, Arg>> }[] }[];
  /** Arguments of add_new_apartment. */
  flats: readonly {
    name: string;
    location: string;
    zip_code: string;
    price: number;
    number_of_bedrooms: number;
    number_of_bathrooms: number;
    square_footage: number;
  }[];
}

export const noiseOfUniverse = ({ mails, words, products, flats }: Universe): NoiseSource => ({
  mails: mails.map(({ from, subject, content }) => ({ sender: from.email, subject, content })),
  messages: words.sentences,
  products: products.map(({ name, variants }) => ({
    name,
    items: variants.map(({ price, color }) => ({ price, options: { color } })),
  })),
  flats: flats.map(({ name, area, zip, price, bedrooms }) => ({
    name,
    location: area,
    zip_code: zip,
    price,
    number_of_bedrooms: bedrooms,
    number_of_bathrooms: 1,
    square_footage: 400 + 150 * bedrooms,
  })),
});

const isDict = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const rows = (value: Value | undefined): Values[] =>
  (Array.isArray(value) ? (value as readonly Value[]) : isDict(value) ? Object.values(value) : []).filter(isDict);
const text = (value: Value | undefined): string => (typeof value === 'string' ? value : '');
const number = (value: Value | undefined): number => (typeof value === 'number' ? value : 0);

/** Reads `augmentation.apps` of a file; null if it has none. Entries of another form are left out. */
export function noiseOfTrace({ augmentation }: Trace): NoiseSource | null {
  const apps = rows(augmentation?.apps as Value | undefined);
  if (apps.length === 0) return null;
  const states = apps.map(({ app_state }) => (isDict(app_state) ? app_state : {}));
  const all = (key: string) => states.flatMap((state) => rows(state[key]));
  return {
    mails: all('folders')
      .flatMap(({ emails }) => rows(emails))
      .map((mail) => ({ sender: text(mail.sender), subject: text(mail.subject), content: text(mail.content) }))
      .filter(({ sender }) => sender.includes('@')),
    messages: all('conversations')
      .flatMap(({ messages }) => rows(messages))
      .map(({ content }) => text(content))
      .filter((content) => content !== ''),
    products: all('products').map((product) => ({
      name: text(product.name),
      items: rows(product.variants).map(({ price, options }) => ({
        price: number(price),
        options: isDict(options) ? (options as Record<string, Arg>) : {},
      })),
    })),
    flats: all('apartments').map((flat) => ({
      name: text(flat.name),
      location: text(flat.location),
      zip_code: text(flat.zip_code),
      price: number(flat.price),
      number_of_bedrooms: number(flat.bedrooms),
      number_of_bathrooms: number(flat.bathrooms),
      square_footage: number(flat.square_footage),
    })),
  };
}
