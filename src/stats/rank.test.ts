// Tests rank correlation against values worked out by hand.
import { expect, it } from 'vitest';
import { pearson, ranks, spearman } from './rank.ts';

it('ranks, with mean ranks for ties', () => {
  expect(ranks([10, 30, 20, 20])).toEqual([1, 4, 2.5, 2.5]);
});

it('equals Pearson’s correlation of the ranks', () => {
  expect(spearman([1, 2, 3, 4], [1, 10, 100, 1000])).toBeCloseTo(1, 12);
  // d = 1, −1, 0, 0: 1 − 6 · 2 / (4 · 15).
  expect(spearman([1, 2, 3, 4], [2, 1, 3, 4])).toBeCloseTo(0.8, 12);
  expect(pearson([0, 1, 2], [5, 3, 1])).toBeCloseTo(-1, 12);
  expect(spearman([1, 2], [1, 2])).toBeNull();
  expect(spearman([1, 1, 1], [1, 2, 3])).toBeNull();
});
