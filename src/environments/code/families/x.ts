// Families over one integer `x`. Small inputs lie near the parameter where a comparison or a remainder turns on it.
import type { CounterRng } from '../../../rng/counter-rng.ts';
import { between, type Family, familyMaker, one, pyDiv, pyMod, range, two } from './family.ts';

type X = [number];
type K = [number];
type JK = [number, number];

const make = familyMaker<X>(
  'x',
  (rng) => [between(rng, 1, 12)],
  (rng) => [between(rng, -20, 60)],
);
const K12 = one(range(2, 13));
const around = (rng: CounterRng, k: number): X => [between(rng, Math.max(0, k - 5), k + 5)];
const aroundWide = (rng: CounterRng, k: number): X => [between(rng, k - 15, k + 15)];
const multiples = (rng: CounterRng, k: number): X => [between(rng, 1, 3 * k)];

export const X_FAMILIES: readonly Family[] = [
  make<K>({
    id: 'add',
    space: K12,
    describe: (k) => `the sum of x and ${k}`,
    python: (k) => `x + ${k}`,
    value: ([x], k) => x + k,
  }),
  make<K>({
    id: 'subtract',
    space: K12,
    describe: (k) => `the result of x minus ${k}`,
    python: (k) => `x - ${k}`,
    value: ([x], k) => x - k,
    small: (rng, k) => [between(rng, k, k + 9)],
    wide: aroundWide,
  }),
  make<K>({
    id: 'subtract_from',
    space: K12,
    describe: (k) => `the result of ${k} minus x`,
    python: (k) => `${k} - x`,
    value: ([x], k) => k - x,
    small: (rng, k) => [between(rng, 0, k)],
    wide: aroundWide,
  }),
  make<K>({
    id: 'times',
    space: K12,
    describe: (k) => `the product of x and ${k}`,
    python: (k) => `x * ${k}`,
    value: ([x], k) => x * k,
    small: (rng) => [between(rng, 2, 6)],
  }),
  make<K>({
    id: 'remainder',
    space: K12,
    describe: (k) => `the remainder of x divided by ${k}`,
    python: (k) => `x % ${k}`,
    value: ([x], k) => pyMod(x, k),
    small: multiples,
    wide: (rng, k) => [between(rng, -2 * k, 6 * k)],
  }),
  make<K>({
    id: 'quotient',
    space: K12,
    describe: (k) => `x divided by ${k} and rounded down`,
    python: (k) => `x // ${k}`,
    value: ([x], k) => pyDiv(x, k),
    small: (rng, k) => [between(rng, k, 4 * k)],
    wide: (rng, k) => [between(rng, -3 * k, 9 * k)],
  }),
  make<K>({
    id: 'round_down',
    space: K12,
    describe: (k) => `x rounded down to a multiple of ${k}`,
    python: (k) => `x // ${k} * ${k}`,
    value: ([x], k) => pyDiv(x, k) * k,
    small: (rng, k) => [between(rng, k, 3 * k)],
    wide: (rng, k) => [between(rng, -3 * k, 6 * k)],
  }),
  make<K>({
    id: 'at_least',
    space: K12,
    describe: (k) => `the larger of x and ${k}`,
    python: (k) => `max(x, ${k})`,
    value: ([x], k) => Math.max(x, k),
    small: around,
    wide: aroundWide,
  }),
  make<K>({
    id: 'at_most',
    space: K12,
    describe: (k) => `the smaller of x and ${k}`,
    python: (k) => `min(x, ${k})`,
    value: ([x], k) => Math.min(x, k),
    small: around,
    wide: aroundWide,
  }),
  make<JK>({
    id: 'clamp',
    space: two(range(2, 6), range(8, 15)),
    describe: (j, k) => `x clamped between ${j} and ${k}`,
    python: (j, k) => `max(${j}, min(x, ${k}))`,
    value: ([x], j, k) => Math.max(j, Math.min(x, k)),
    small: (rng) => [between(rng, 0, 18)],
    wide: (rng, j, k) => [between(rng, j - 8, k + 8)],
  }),
  make<K>({
    id: 'distance',
    space: K12,
    describe: (k) => `the distance between x and ${k}`,
    python: (k) => `abs(x - ${k})`,
    value: ([x], k) => Math.abs(x - k),
    small: around,
    wide: aroundWide,
  }),
  make<K>({
    id: 'square_plus',
    space: K12,
    describe: (k) => `x squared plus ${k}`,
    python: (k) => `x * x + ${k}`,
    value: ([x], k) => x * x + k,
    small: (rng) => [between(rng, 1, 6)],
    wide: (rng) => [between(rng, -15, 20)],
  }),
  make<JK>({
    id: 'times_plus',
    space: two(range(2, 5), range(2, 9)),
    describe: (j, k) => `x times ${j} plus ${k}`,
    python: (j, k) => `x * ${j} + ${k}`,
    value: ([x], j, k) => x * j + k,
    small: (rng) => [between(rng, 1, 6)],
  }),
  make<JK>({
    id: 'sum_times',
    space: two(range(2, 9), range(2, 5)),
    describe: (j, k) => `the sum of x and ${j}, times ${k}`,
    python: (j, k) => `(x + ${j}) * ${k}`,
    value: ([x], j, k) => (x + j) * k,
    small: (rng) => [between(rng, 1, 6)],
  }),
  make<K>({
    id: 'twice_minus',
    space: K12,
    describe: (k) => `twice x minus ${k}`,
    python: (k) => `2 * x - ${k}`,
    value: ([x], k) => 2 * x - k,
    small: (rng, k) => [between(rng, Math.ceil(k / 2), Math.ceil(k / 2) + 6)],
  }),
  make<K>({
    id: 'is_multiple',
    space: K12,
    describe: (k) => `whether x is a multiple of ${k}`,
    python: (k) => `x % ${k} == 0`,
    value: ([x], k) => pyMod(x, k) === 0,
    small: (rng, k) => [rng.int(2) ? k * between(rng, 1, 3) : between(rng, 1, 3 * k)],
    wide: (rng, k) => [rng.int(2) ? k * between(rng, -3, 8) : between(rng, -2 * k, 8 * k)],
  }),
];
