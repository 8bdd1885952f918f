// Families over a list of integers `nums`. Small lists have one or two elements, so that an assert stays short.
import type { CounterRng } from '../../../rng/counter-rng.ts';
import { between, type Family, familyMaker, one, pyMod, range, sum, two } from './family.ts';

type Nums = [number[]];
type K = [number];
type JK = [number, number];

const list = (rng: CounterRng, length: number, from: number, to: number): Nums => [
  Array.from({ length }, () => between(rng, from, to)),
];
const make = familyMaker<Nums>(
  'nums',
  (rng) => list(rng, rng.int(4) ? 2 : 1, 1, 9),
  (rng) => list(rng, between(rng, 3, 7), -5, 25),
);
const K12 = one(range(2, 13));
const few = (rng: CounterRng): Nums => list(rng, rng.int(4) ? 2 : 1, 1, 5);
/** Elements on both sides of k. */
const around = (rng: CounterRng, k: number): Nums => list(rng, 2, Math.max(0, k - 3), k + 4);
const aroundWide = (rng: CounterRng, k: number): Nums => list(rng, between(rng, 4, 7), k - 8, k + 8);
/** About a third of the elements equal k. */
const withK = (rng: CounterRng, k: number, length: number, span: number): Nums => [
  Array.from({ length }, () => (rng.int(3) ? between(rng, Math.max(0, k - span), k + span) : k)),
];

export const NUMS_FAMILIES: readonly Family[] = [
  make<K>({
    id: 'each_plus',
    space: K12,
    describe: (k) => `nums with ${k} added to each number`,
    python: (k) => `[n + ${k} for n in nums]`,
    value: ([nums], k) => nums.map((n) => n + k),
  }),
  make<K>({
    id: 'each_times',
    space: K12,
    describe: (k) => `each number of nums times ${k}`,
    python: (k) => `[n * ${k} for n in nums]`,
    value: ([nums], k) => nums.map((n) => n * k),
    small: few,
  }),
  make<K>({
    id: 'each_remainder',
    space: K12,
    describe: (k) => `the remainder of each number of nums divided by ${k}`,
    python: (k) => `[n % ${k} for n in nums]`,
    value: ([nums], k) => nums.map((n) => pyMod(n, k)),
    small: (rng, k) => list(rng, 2, 1, 2 * k),
    wide: (rng, k) => list(rng, between(rng, 3, 6), -2 * k, 5 * k),
  }),
  make<K>({
    id: 'keep_above',
    space: K12,
    describe: (k) => `the numbers of nums above ${k}`,
    python: (k) => `[n for n in nums if n > ${k}]`,
    value: ([nums], k) => nums.filter((n) => n > k),
    small: around,
    wide: aroundWide,
  }),
  make<K>({
    id: 'keep_below',
    space: K12,
    describe: (k) => `the numbers of nums below ${k}`,
    python: (k) => `[n for n in nums if n < ${k}]`,
    value: ([nums], k) => nums.filter((n) => n < k),
    small: around,
    wide: aroundWide,
  }),
  make<JK>({
    id: 'keep_above_times',
    space: two(range(2, 7), range(2, 5)),
    describe: (k, j) => `the numbers of nums above ${k}, each times ${j}`,
    python: (k, j) => `[n * ${j} for n in nums if n > ${k}]`,
    value: ([nums], k, j) => nums.filter((n) => n > k).map((n) => n * j),
    wide: (rng, k) => aroundWide(rng, k),
  }),
  make<K>({
    id: 'without',
    space: K12,
    describe: (k) => `nums without the number ${k}`,
    python: (k) => `[n for n in nums if n != ${k}]`,
    value: ([nums], k) => nums.filter((n) => n !== k),
    small: (rng, k) => withK(rng, k, 2, 3),
    wide: (rng, k) => withK(rng, k, between(rng, 4, 7), 8),
  }),
  make<K>({
    id: 'each_at_least',
    space: K12,
    describe: (k) => `nums with each number raised to at least ${k}`,
    python: (k) => `[max(n, ${k}) for n in nums]`,
    value: ([nums], k) => nums.map((n) => Math.max(n, k)),
    small: (rng, k) => list(rng, rng.int(4) ? 2 : 1, Math.max(0, k - 4), k + 4),
    wide: aroundWide,
  }),
  make<K>({
    id: 'count_above',
    space: K12,
    describe: (k) => `how many numbers of nums are above ${k}`,
    python: (k) => `sum(n > ${k} for n in nums)`,
    value: ([nums], k) => nums.filter((n) => n > k).length,
    small: around,
    wide: aroundWide,
  }),
  make<K>({
    id: 'total_plus',
    space: K12,
    describe: (k) => `the sum of nums plus ${k}`,
    python: (k) => `sum(nums) + ${k}`,
    value: ([nums], k) => sum(nums) + k,
  }),
  make<K>({
    id: 'total_times',
    space: K12,
    describe: (k) => `the sum of nums times ${k}`,
    python: (k) => `sum(nums) * ${k}`,
    value: ([nums], k) => sum(nums) * k,
    small: few,
  }),
  make<K>({
    id: 'largest_plus',
    space: K12,
    describe: (k) => `the largest number of nums plus ${k}`,
    python: (k) => `max(nums) + ${k}`,
    value: ([nums], k) => Math.max(...nums) + k,
  }),
  make<K>({
    id: 'smallest_times',
    space: K12,
    describe: (k) => `the smallest number of nums times ${k}`,
    python: (k) => `min(nums) * ${k}`,
    value: ([nums], k) => Math.min(...nums) * k,
  }),
  make<K>({
    id: 'append',
    space: K12,
    describe: (k) => `nums followed by ${k}`,
    python: (k) => `nums + [${k}]`,
    value: ([nums], k) => [...nums, k],
  }),
  make<K>({
    id: 'reversed_then',
    space: K12,
    describe: (k) => `nums reversed and followed by ${k}`,
    python: (k) => `nums[::-1] + [${k}]`,
    value: ([nums], k) => [...nums].reverse().concat(k),
  }),
  make<K>({
    id: 'sorted_with',
    space: K12,
    describe: (k) => `nums and ${k} in sorted order`,
    python: (k) => `sorted(nums + [${k}])`,
    value: ([nums], k) => [...nums, k].sort((a, b) => a - b),
    small: (rng, k) => list(rng, rng.int(4) ? 2 : 1, Math.max(0, k - 5), Math.min(9, k + 4)),
    wide: aroundWide,
  }),
];
