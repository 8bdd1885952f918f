// Choices of the generator, from a seed and a key: the same ones for the same two.
import { seededDraws } from '../world.ts';

export interface Chance {
  /** 0 … n-1 */
  int(n: number): number;
  /** Both ends belong to it. */
  between(from: number, to: number): number;
  one<T>(items: readonly T[]): T;
  /** So many different ones. */
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
