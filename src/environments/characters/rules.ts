// What a word does with three items: rearrangements, sorting, picking one. Words that are no rule are refused.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { CharacterWorld } from './types.ts';

/** Places of the items that come first, second, third. */
const REARRANGED: Readonly<Record<string, readonly number[]>> = {
  keep: [0, 1, 2],
  reverse: [2, 1, 0],
  rotate: [1, 2, 0],
  back: [2, 0, 1],
  swap: [1, 0, 2],
  odd: [0, 2, 1],
};
export const PERMUTATIONS: readonly (readonly number[])[] = Object.values(REARRANGED);

const PLACES: Readonly<Record<string, number>> = { first: 0, second: 1, last: 2, front: 0, middle: 1, rear: 2 };

/** What the rule of that name makes of the items, in order. Throws SpecError for a name that is no rule. */
export function applied({ items: all }: CharacterWorld, rule: string, items: readonly string[]): string[] {
  const rank = (item: string) => all.indexOf(item);
  const ascending = () => [...items].sort((a, b) => rank(a) - rank(b));
  if (rule in REARRANGED) return REARRANGED[rule].map((place) => items[place]);
  if (rule in PLACES) return [items[PLACES[rule]]];
  if (rule === 'sort') return ascending();
  if (rule === 'descend') return ascending().reverse();
  if (rule === 'smallest') return ascending().slice(0, 1);
  if (rule === 'highest') return ascending().slice(-1);
  throw new SpecError(`${JSON.stringify(rule)} is no rule of items`, 'Name a rule of the world.');
}

/** All triples of different items. */
export function triplesOf({ items }: CharacterWorld): string[][] {
  return items.flatMap((a) =>
    items.flatMap((b) => items.flatMap((c) => (a !== b && b !== c && a !== c ? [[a, b, c]] : []))),
  );
}

const ASKED = 24;

/** What arms are trained on, and what alone they are measured on: 96 and 24 triples, by the world's seed. */
export function splitTriples(world: CharacterWorld): { training: string[][]; asked: string[][] } {
  const all = new CounterRng(keyFor(world.seed, STREAMS.problems, 18, 1)).shuffle(triplesOf(world));
  return { training: all.slice(ASKED), asked: all.slice(0, ASKED) };
}
