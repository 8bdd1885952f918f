// Families over two integers `a, b`.
import type { CounterRng } from '../../../rng/counter-rng.ts';
import { between, type Family, familyMaker, one, pyDiv, pyMod, range, two } from './family.ts';

type AB = [number, number];
type K = [number];
type JK = [number, number];

const pair = (rng: CounterRng, from: number, to: number): AB => [between(rng, from, to), between(rng, from, to)];
const make = familyMaker<AB>('a, b', { small: (rng) => pair(rng, 1, 9), wide: (rng) => pair(rng, -12, 30) });
const K12 = one(range(2, 13));
const FEW = { small: (rng: CounterRng) => pair(rng, 1, 5) };

export const AB_FAMILIES: readonly Family[] = [
  make<K>('sum_plus', K12, 'the sum of a, b and {0}', 'a + b + {0}', ([a, b], k) => a + b + k),
  make<K>('difference_plus', K12, 'a minus b plus {0}', 'a - b + {0}', ([a, b], k) => a - b + k),
  make<K>('first_times', K12, 'a times {0} plus b', 'a * {0} + b', ([a, b], k) => a * k + b, FEW),
  make<K>('second_times', K12, 'a plus b times {0}', 'a + b * {0}', ([a, b], k) => a + b * k, FEW),
  make<K>('product_plus', K12, 'the product of a and b plus {0}', 'a * b + {0}', ([a, b], k) => a * b + k, FEW),
  make<K>('product_minus', K12, 'the product of a and b minus {0}', 'a * b - {0}', ([a, b], k) => a * b - k, FEW),
  make<K>('sum_remainder', K12, 'the remainder of a plus b divided by {0}', '(a + b) % {0}', ([a, b], k) =>
    pyMod(a + b, k),
  ),
  make<K>(
    'product_remainder',
    K12,
    'the remainder of a times b divided by {0}',
    'a * b % {0}',
    ([a, b], k) => pyMod(a * b, k),
    { small: (rng) => pair(rng, 2, 6) },
  ),
  make<K>(
    'sum_quotient',
    K12,
    'the sum of a and b, divided by {0} and rounded down',
    '(a + b) // {0}',
    ([a, b], k) => pyDiv(a + b, k),
    { small: (rng) => pair(rng, 5, 15), wide: (rng) => pair(rng, -10, 50) },
  ),
  make<K>('larger_plus', K12, 'the larger of a and b plus {0}', 'max(a, b) + {0}', ([a, b], k) => Math.max(a, b) + k),
  make<K>(
    'smaller_times',
    K12,
    'the smaller of a and b times {0}',
    'min(a, b) * {0}',
    ([a, b], k) => Math.min(a, b) * k,
    { small: (rng) => pair(rng, 1, 6) },
  ),
  make<K>(
    'gap_plus',
    K12,
    'the distance between a and b plus {0}',
    'abs(a - b) + {0}',
    ([a, b], k) => Math.abs(a - b) + k,
  ),
  make<K>('sum_at_most', one(range(4, 15)), 'the sum of a and b, but at most {0}', 'min(a + b, {0})', ([a, b], k) =>
    Math.min(a + b, k),
  ),
  make<JK>(
    'weighted_sum',
    two(range(2, 5), range(2, 5)),
    'a times {0} plus b times {1}',
    'a * {0} + b * {1}',
    ([a, b], j, k) => a * j + b * k,
    FEW,
  ),
  make<K>('sum_above', one(range(4, 15)), 'whether a plus b is above {0}', 'a + b > {0}', ([a, b], k) => a + b > k, {
    wide: (rng, k) => {
      const a = between(rng, -10, 20);
      return [a, k - a + between(rng, -6, 6)];
    },
  }),
];
