// Families over two integers `a, b`.
import type { CounterRng } from '../../../rng/counter-rng.ts';
import { between, type Family, familyMaker, one, pyDiv, pyMod, range, two } from './family.ts';

type AB = [number, number];
type K = [number];
type JK = [number, number];

const pair = (rng: CounterRng, from: number, to: number): AB => [between(rng, from, to), between(rng, from, to)];
const make = familyMaker<AB>(
  'a, b',
  (rng) => pair(rng, 1, 9),
  (rng) => pair(rng, -12, 30),
);
const K12 = one(range(2, 13));
const few = (rng: CounterRng): AB => pair(rng, 1, 5);

export const AB_FAMILIES: readonly Family[] = [
  make<K>({
    id: 'sum_plus',
    space: K12,
    describe: (k) => `the sum of a, b and ${k}`,
    python: (k) => `a + b + ${k}`,
    value: ([a, b], k) => a + b + k,
  }),
  make<K>({
    id: 'difference_plus',
    space: K12,
    describe: (k) => `a minus b plus ${k}`,
    python: (k) => `a - b + ${k}`,
    value: ([a, b], k) => a - b + k,
  }),
  make<K>({
    id: 'first_times',
    space: K12,
    describe: (k) => `a times ${k} plus b`,
    python: (k) => `a * ${k} + b`,
    value: ([a, b], k) => a * k + b,
    small: few,
  }),
  make<K>({
    id: 'second_times',
    space: K12,
    describe: (k) => `a plus b times ${k}`,
    python: (k) => `a + b * ${k}`,
    value: ([a, b], k) => a + b * k,
    small: few,
  }),
  make<K>({
    id: 'product_plus',
    space: K12,
    describe: (k) => `the product of a and b plus ${k}`,
    python: (k) => `a * b + ${k}`,
    value: ([a, b], k) => a * b + k,
    small: few,
  }),
  make<K>({
    id: 'product_minus',
    space: K12,
    describe: (k) => `the product of a and b minus ${k}`,
    python: (k) => `a * b - ${k}`,
    value: ([a, b], k) => a * b - k,
    small: few,
  }),
  make<K>({
    id: 'sum_remainder',
    space: K12,
    describe: (k) => `the remainder of a plus b divided by ${k}`,
    python: (k) => `(a + b) % ${k}`,
    value: ([a, b], k) => pyMod(a + b, k),
  }),
  make<K>({
    id: 'product_remainder',
    space: K12,
    describe: (k) => `the remainder of a times b divided by ${k}`,
    python: (k) => `a * b % ${k}`,
    value: ([a, b], k) => pyMod(a * b, k),
    small: (rng) => pair(rng, 2, 6),
  }),
  make<K>({
    id: 'sum_quotient',
    space: K12,
    describe: (k) => `the sum of a and b, divided by ${k} and rounded down`,
    python: (k) => `(a + b) // ${k}`,
    value: ([a, b], k) => pyDiv(a + b, k),
    small: (rng) => pair(rng, 5, 15),
    wide: (rng) => pair(rng, -10, 50),
  }),
  make<K>({
    id: 'larger_plus',
    space: K12,
    describe: (k) => `the larger of a and b plus ${k}`,
    python: (k) => `max(a, b) + ${k}`,
    value: ([a, b], k) => Math.max(a, b) + k,
  }),
  make<K>({
    id: 'smaller_times',
    space: K12,
    describe: (k) => `the smaller of a and b times ${k}`,
    python: (k) => `min(a, b) * ${k}`,
    value: ([a, b], k) => Math.min(a, b) * k,
    small: (rng) => pair(rng, 1, 6),
  }),
  make<K>({
    id: 'gap_plus',
    space: K12,
    describe: (k) => `the distance between a and b plus ${k}`,
    python: (k) => `abs(a - b) + ${k}`,
    value: ([a, b], k) => Math.abs(a - b) + k,
  }),
  make<K>({
    id: 'sum_at_most',
    space: one(range(4, 15)),
    describe: (k) => `the sum of a and b, but at most ${k}`,
    python: (k) => `min(a + b, ${k})`,
    value: ([a, b], k) => Math.min(a + b, k),
  }),
  make<JK>({
    id: 'weighted_sum',
    space: two(range(2, 5), range(2, 5)),
    describe: (j, k) => `a times ${j} plus b times ${k}`,
    python: (j, k) => `a * ${j} + b * ${k}`,
    value: ([a, b], j, k) => a * j + b * k,
    small: few,
  }),
  make<K>({
    id: 'sum_above',
    space: one(range(4, 15)),
    describe: (k) => `whether a plus b is above ${k}`,
    python: (k) => `a + b > ${k}`,
    value: ([a, b], k) => a + b > k,
    wide: (rng, k) => {
      const a = between(rng, -10, 20);
      return [a, k - a + between(rng, -6, 6)];
    },
  }),
];
