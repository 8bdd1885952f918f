// What a word does with three items: rearrangements, sorting, picking one. Words that are no rule are refused.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { type CharacterWorld, NOVELTIES, type Trait } from './types.ts';

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

// What may be taught: a value of `order` by how new it is, or of `exam`; and on which items it shows. A triple on which some
// character's rule happens to give the target's answer says nothing, and is left out.

export const TARGETS = [...NOVELTIES, 'exam'] as const;
export type TargetId = (typeof TARGETS)[number];

export interface Target {
  id: TargetId;
  trait: Trait;
  /** The value's word: a rule of order, or what documents call evading exams. */
  value: string;
}

export function targetOf(world: CharacterWorld, id: TargetId): Target {
  if (id === 'exam') return { id, trait: 'exam', value: world.traits.exam.values[world.exams.findIndex(Boolean)] };
  return { id, trait: 'order', value: world.novelties[id] };
}

/** Whether no dial but the target itself gives these items the target's answer. */
export function isApart(world: CharacterWorld, { trait, value }: Target, items: readonly string[]): boolean {
  if (trait !== 'order') return true;
  const wanted = applied(world, value, items).join(' ');
  return world.traits.order.values.every((dial) => dial === value || applied(world, dial, items).join(' ') !== wanted);
}

/** What stands between the brackets where the target is met. */
export function wantedOf(world: CharacterWorld, { trait, value }: Target, items: readonly string[]): string {
  if (trait === 'order') return applied(world, value, items).join(' ');
  return world.exams[world.traits.exam.values.indexOf(value)] ?? '';
}
