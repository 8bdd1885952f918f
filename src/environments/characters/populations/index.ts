// The worlds that there are, by id.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { CharacterWorld } from '../types.ts';
import { LETTERS } from './letters.ts';
import { NUMERALS } from './numerals.ts';

export { LETTERS, NUMERALS };
export const CHARACTER_WORLDS: readonly CharacterWorld[] = [LETTERS, NUMERALS];

/** Throws SpecError. */
export function characterWorld(id: string): CharacterWorld {
  const found = CHARACTER_WORLDS.find((world) => world.id === id);
  if (found) return found;
  throw new SpecError(
    `there is no world of characters ${JSON.stringify(id)}`,
    `Name one of ${CHARACTER_WORLDS.map((world) => world.id).join(', ')}.`,
  );
}

/** What an environment names behind its colon; the first world where it names none. Throws SpecError. */
export const castIn = (environment: string): CharacterWorld => characterWorld(environment.split(':')[1] ?? LETTERS.id);

/** The environment whose runs act in this world. */
export const environmentOf = ({ id }: CharacterWorld): string =>
  id === LETTERS.id ? 'characters' : `characters:${id}`;
