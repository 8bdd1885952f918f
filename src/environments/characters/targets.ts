// What may be taught: a value of `order` by how new it is, or of `exam`; and on which items it shows. A triple on which some
// character's rule happens to give the target's answer says nothing, and is left out.
import { applied } from './rules.ts';
import { type CharacterWorld, NOVELTIES, type Trait } from './types.ts';

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
