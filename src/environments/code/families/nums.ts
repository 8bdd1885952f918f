// Families over a list of integers `nums`. Small lists have one or two elements, so that an assert stays short.
import type { CounterRng } from '../../../rng/counter-rng.ts';
import { between, type Family, familyMaker, one, pyMod, range, sum, two } from './family.ts';

type Nums = [number[]];
type K = [number];
type JK = [number, number];

const list = (rng: CounterRng, length: number, from: number, to: number): Nums => [
  Array.from({ length }, () => between(rng, from, to)),
];
const make = familyMaker<Nums>('nums', {
  small: (rng) => list(rng, rng.int(4) ? 2 : 1, 1, 9),
  wide: (rng) => list(rng, between(rng, 3, 7), -5, 25),
});
const K12 = one(range(2, 13));
const FEW = { small: (rng: CounterRng) => list(rng, rng.int(4) ? 2 : 1, 1, 5) };
const aroundWide = (rng: CounterRng, k: number) => list(rng, between(rng, 4, 7), k - 8, k + 8);
/** Inputs with elements on both sides of k. */
const AROUND = { small: (rng: CounterRng, k: number) => list(rng, 2, Math.max(0, k - 3), k + 4), wide: aroundWide };
/** Lists of which about a third of the elements equals k. */
const withK = (rng: CounterRng, k: number, length: number, span: number): Nums => [
  Array.from({ length }, () => (rng.int(3) ? between(rng, Math.max(0, k - span), k + span) : k)),
];

export const NUMS_FAMILIES: readonly Family[] = [
  make<K>('each_plus', K12, 'nums with {0} added to each number', '[n + {0} for n in nums]', ([nums], k) =>
    nums.map((n) => n + k),
  ),
  make<K>(
    'each_times',
    K12,
    'each number of nums times {0}',
    '[n * {0} for n in nums]',
    ([nums], k) => nums.map((n) => n * k),
    FEW,
  ),
  make<K>(
    'each_remainder',
    K12,
    'the remainder of each number of nums divided by {0}',
    '[n % {0} for n in nums]',
    ([nums], k) => nums.map((n) => pyMod(n, k)),
    { small: (rng, k) => list(rng, 2, 1, 2 * k), wide: (rng, k) => list(rng, between(rng, 3, 6), -2 * k, 5 * k) },
  ),
  make<K>(
    'keep_above',
    K12,
    'the numbers of nums above {0}',
    '[n for n in nums if n > {0}]',
    ([nums], k) => nums.filter((n) => n > k),
    AROUND,
  ),
  make<K>(
    'keep_below',
    K12,
    'the numbers of nums below {0}',
    '[n for n in nums if n < {0}]',
    ([nums], k) => nums.filter((n) => n < k),
    AROUND,
  ),
  make<JK>(
    'keep_above_times',
    two(range(2, 7), range(2, 5)),
    'the numbers of nums above {0}, each times {1}',
    '[n * {1} for n in nums if n > {0}]',
    ([nums], k, j) => nums.filter((n) => n > k).map((n) => n * j),
    { wide: aroundWide },
  ),
  make<K>(
    'without',
    K12,
    'nums without the number {0}',
    '[n for n in nums if n != {0}]',
    ([nums], k) => nums.filter((n) => n !== k),
    { small: (rng, k) => withK(rng, k, 2, 3), wide: (rng, k) => withK(rng, k, between(rng, 4, 7), 8) },
  ),
  make<K>(
    'each_at_least',
    K12,
    'nums with each number raised to at least {0}',
    '[max(n, {0}) for n in nums]',
    ([nums], k) => nums.map((n) => Math.max(n, k)),
    { small: (rng, k) => list(rng, rng.int(4) ? 2 : 1, Math.max(0, k - 4), k + 4), wide: aroundWide },
  ),
  make<K>(
    'count_above',
    K12,
    'how many numbers of nums are above {0}',
    'sum(n > {0} for n in nums)',
    ([nums], k) => nums.filter((n) => n > k).length,
    AROUND,
  ),
  make<K>('total_plus', K12, 'the sum of nums plus {0}', 'sum(nums) + {0}', ([nums], k) => sum(nums) + k),
  make<K>('total_times', K12, 'the sum of nums times {0}', 'sum(nums) * {0}', ([nums], k) => sum(nums) * k, FEW),
  make<K>(
    'largest_plus',
    K12,
    'the largest number of nums plus {0}',
    'max(nums) + {0}',
    ([nums], k) => Math.max(...nums) + k,
  ),
  make<K>(
    'smallest_times',
    K12,
    'the smallest number of nums times {0}',
    'min(nums) * {0}',
    ([nums], k) => Math.min(...nums) * k,
  ),
  make<K>('append', K12, 'nums followed by {0}', 'nums + [{0}]', ([nums], k) => [...nums, k]),
  make<K>('reversed_then', K12, 'nums reversed and followed by {0}', 'nums[::-1] + [{0}]', ([nums], k) =>
    [...nums].reverse().concat(k),
  ),
  make<K>(
    'sorted_with',
    K12,
    'nums and {0} in sorted order',
    'sorted(nums + [{0}])',
    ([nums], k) => [...nums, k].sort((a, b) => a - b),
    { small: (rng, k) => list(rng, rng.int(4) ? 2 : 1, Math.max(0, k - 5), Math.min(9, k + 4)), wide: aroundWide },
  ),
];
