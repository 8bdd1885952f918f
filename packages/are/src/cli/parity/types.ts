// A folder of recorded runs of the reference, and the result of comparing a case.
import type { AppClasses, Draws } from '../../types.ts';
import type { Value } from '../../value.ts';

export interface ParityCase {
  /** Name in the recorded folder. */
  readonly file: string;
  readonly name: string;
  readonly differences: readonly string[];
  /** Why it could not be compared, if so; this counts as a difference. */
  readonly missing?: string;
}

/** Input of a comparison besides its own file. */
export interface ParityContext {
  /** Known app classes. */
  readonly classes: AppClasses;
  /** Another file of the folder, as JSON text; undefined if it does not exist. */
  text(path: string): string | undefined;
}

/** Compares a file, given as its parsed JSON (whole floats as numbers) and its text. */
export type Comparison = (file: { json: Value; text: string }, context: ParityContext) => ParityCase[];

// Replacement for ids and random numbers in recorded runs: ids are counted, random numbers are the middle of their range (of an int, the
// low end).

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
