// Tests the diversity factors against distances worked out by hand.
import { expect, it } from 'vitest';
import { diversityOf } from './diversity.ts';

const row = (...values: number[]) => Float32Array.from(values);

it('is the distance from the group’s centroid, relative to the largest', () => {
  // The centroid is (1, 0); the distances of (0,0), (2,0), (1,2), (1,-2) are 1, 1, 2, 2.
  expect(diversityOf([row(0, 0), row(2, 0), row(1, 2), row(1, -2)])).toEqual([0.5, 0.5, 1, 1]);
  expect(diversityOf([row(3, 3), row(3, 3)])).toEqual([1, 1]);
  expect(diversityOf([])).toEqual([]);
});
