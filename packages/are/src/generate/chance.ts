// Random choices of the generator, determined by a seed and a key.
import { seededDraws } from '../world.ts';

export interface Chance {
  /** From 0 to n − 1. */
  int(n: number): number;
  /** Includes both ends. */
  between(from: number, to: number): number;
  one<T>(items: readonly T[]): T;
  /** `count` different items. */
  some<T>(items: readonly T[], count: number): T[];
}

export function chanceOf(seed: number, key: string): Chance {
  const draws = seededDraws(seed, key);
  const int = (n: number) => draws.randint(0, n - 1);
  return {
    int,
    between: (from, to) => draws.randint(from, to),
    one: (items) => {
      if (items.length === 0) throw new RangeError('nothing to choose from');
      return items[int(items.length)] as (typeof items)[number];
    },
    some: (items, count) => {
      if (items.length < count) throw new RangeError(`${count} of ${items.length} cannot be chosen`);
      const left = [...items];
      return Array.from({ length: count }, () => left.splice(int(left.length), 1)[0] as (typeof items)[number]);
    },
  };
}
