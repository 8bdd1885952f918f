// A folder of recorded runs of the reference, and the result of comparing a case.
import type { AppClasses, Draws } from '../../types.ts';
import type { Value } from '../../value.ts';

export interface ParityCase {
  /** Name in the recorded folder. */
  readonly file: string;
  readonly name: string;
  readonly differences: readonly string[];
  /** Why it could not be compared, if so; it counts as a difference of its own kind. */
  readonly missing?: string;
}

/** Input of a comparison besides its own file. */
export interface ParityContext {
  /** Known app classes. */
  readonly classes: AppClasses;
  /** Another file of the folder, as JSON text; undefined if it does not exist. */
  text(path: string): string | undefined;
}

/** Compares a file, given as its parsed JSON (marks off) and its text. */
export type Comparison = (file: { json: Value; text: string }, context: ParityContext) => ParityCase[];

// Replacement for ids and random numbers in recorded runs: ids are counted, draws are the middle (for an int, the low end).

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
