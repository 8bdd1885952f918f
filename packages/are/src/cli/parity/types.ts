// A folder of recorded runs of the reference, and what a case of it came to here.
import type { AppClasses, Draws } from '../../types.ts';
import type { Value } from '../../value.ts';

export interface ParityCase {
  /** Of the recorded folder. */
  readonly file: string;
  readonly name: string;
  readonly differences: readonly string[];
  /** Why it could not be compared, where it could not: it counts as a difference of its own kind. */
  readonly missing?: string;
}

/** What a comparison may read besides its own file. */
export interface ParityContext {
  /** App classes that there are. */
  readonly classes: AppClasses;
  /** Another file of the folder, as JSON text; undefined where there is none. */
  text(path: string): string | undefined;
}

/** Compares a file, given as its parsed JSON (marks off) and its text. */
export type Comparison = (file: { json: Value; text: string }, context: ParityContext) => ParityCase[];

// What takes the place of ids and random numbers in recorded runs: ids are counted, draws are the middle (or the low end, of an int).

export function countedDraws(): () => Draws {
  let count = 0;
  const draws: Draws = {
    id: () => `id${String(++count).padStart(4, '0')}`,
    random: () => 0.5,
    uniform: (from, to) => (from + to) / 2,
    randint: (from) => from,
  };
  return () => draws;
}
