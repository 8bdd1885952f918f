// Families over one integer `x`. Small inputs lie near the parameter at which a comparison or remainder changes.
import type { CounterRng } from '../../../rng/counter-rng.ts';
import { between, type Family, familyMaker, one, pyDiv, pyMod, range, two } from './family.ts';

type X = [number];
type K = [number];
type JK = [number, number];

const make = familyMaker<X>('x', { small: (rng) => [between(rng, 1, 12)], wide: (rng) => [between(rng, -20, 60)] });
const K12 = one(range(2, 13));
const FEW = { small: (rng: CounterRng): X => [between(rng, 1, 6)] };
const aroundWide = (rng: CounterRng, k: number): X => [between(rng, k - 15, k + 15)];
const AROUND = {
  small: (rng: CounterRng, k: number): X => [between(rng, Math.max(0, k - 5), k + 5)],
  wide: aroundWide,
};

export const X_FAMILIES: readonly Family[] = [
  make<K>('add', K12, 'the sum of x and {0}', 'x + {0}', ([x], k) => x + k),
  make<K>('subtract', K12, 'the result of x minus {0}', 'x - {0}', ([x], k) => x - k, {
    small: (rng, k) => [between(rng, k, k + 9)],
    wide: aroundWide,
  }),
  make<K>('subtract_from', K12, 'the result of {0} minus x', '{0} - x', ([x], k) => k - x, {
    small: (rng, k) => [between(rng, 0, k)],
    wide: aroundWide,
  }),
  make<K>('times', K12, 'the product of x and {0}', 'x * {0}', ([x], k) => x * k, {
    small: (rng) => [between(rng, 2, 6)],
  }),
  make<K>('remainder', K12, 'the remainder of x divided by {0}', 'x % {0}', ([x], k) => pyMod(x, k), {
    small: (rng, k) => [between(rng, 1, 3 * k)],
    wide: (rng, k) => [between(rng, -2 * k, 6 * k)],
  }),
  make<K>('quotient', K12, 'x divided by {0} and rounded down', 'x // {0}', ([x], k) => pyDiv(x, k), {
    small: (rng, k) => [between(rng, k, 4 * k)],
    wide: (rng, k) => [between(rng, -3 * k, 9 * k)],
  }),
  make<K>('round_down', K12, 'x rounded down to a multiple of {0}', 'x // {0} * {0}', ([x], k) => pyDiv(x, k) * k, {
    small: (rng, k) => [between(rng, k, 3 * k)],
    wide: (rng, k) => [between(rng, -3 * k, 6 * k)],
  }),
  make<K>('at_least', K12, 'the larger of x and {0}', 'max(x, {0})', ([x], k) => Math.max(x, k), AROUND),
  make<K>('at_most', K12, 'the smaller of x and {0}', 'min(x, {0})', ([x], k) => Math.min(x, k), AROUND),
  make<JK>(
    'clamp',
    two(range(2, 6), range(8, 15)),
    'x clamped between {0} and {1}',
    'max({0}, min(x, {1}))',
    ([x], j, k) => Math.max(j, Math.min(x, k)),
    { small: (rng) => [between(rng, 0, 18)], wide: (rng, j, k) => [between(rng, j - 8, k + 8)] },
  ),
  make<K>('distance', K12, 'the distance between x and {0}', 'abs(x - {0})', ([x], k) => Math.abs(x - k), AROUND),
  make<K>('square_plus', K12, 'x squared plus {0}', 'x * x + {0}', ([x], k) => x * x + k, {
    small: (rng) => [between(rng, 1, 6)],
    wide: (rng) => [between(rng, -15, 20)],
  }),
  make<JK>(
    'times_plus',
    two(range(2, 5), range(2, 9)),
    'x times {0} plus {1}',
    'x * {0} + {1}',
    ([x], j, k) => x * j + k,
    FEW,
  ),
  make<JK>(
    'sum_times',
    two(range(2, 9), range(2, 5)),
    'the sum of x and {0}, times {1}',
    '(x + {0}) * {1}',
    ([x], j, k) => (x + j) * k,
    FEW,
  ),
  make<K>('twice_minus', K12, 'twice x minus {0}', '2 * x - {0}', ([x], k) => 2 * x - k, {
    small: (rng, k) => [between(rng, Math.ceil(k / 2), Math.ceil(k / 2) + 6)],
  }),
  make<K>('is_multiple', K12, 'whether x is a multiple of {0}', 'x % {0} == 0', ([x], k) => pyMod(x, k) === 0, {
    small: (rng, k) => [rng.int(2) ? k * between(rng, 1, 3) : between(rng, 1, 3 * k)],
    wide: (rng, k) => [rng.int(2) ? k * between(rng, -3, 8) : between(rng, -2 * k, 8 * k)],
  }),
];
