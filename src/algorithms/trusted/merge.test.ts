// Tests merging of two updates, and its controls, against values worked out by hand.
import { expect, it } from 'vitest';
import { norm } from '../vectors.ts';
import { mergeControls, mergedWhereSignsAgree } from './merge.ts';

const of = (...values: number[]) => Float32Array.of(...values);

it('gives the mean where the signs agree, and the trusted update elsewhere', () => {
  expect(Array.from(mergedWhereSignsAgree(of(2, 2, -1, 0), of(4, -4, -3, 5)))).toEqual([3, 2, -2, 0]);
});

it('has controls: random signs with the same magnitudes, the trusted update with the merged norm, the mean', () => {
  const trusted = Float32Array.from({ length: 1000 }, (_, i) => (i % 2 ? 1 : -1));
  const untrusted = trusted.map((value, i) => (i < 900 ? 3 * value : -3 * value));
  const { random, scaled, average } = mergeControls(trusted, untrusted, 41);
  // By chance half of all signs agree, instead of nine in ten.
  const moved = random.filter((value, i) => value !== trusted[i]);
  expect(moved.every((value) => Math.abs(value) === 2)).toBe(true);
  expect(Math.abs(moved.length - 500)).toBeLessThan(60);
  expect(norm(scaled)).toBeCloseTo(norm(mergedWhereSignsAgree(trusted, untrusted)), 3);
  expect(scaled[1] / scaled[0]).toBeCloseTo(-1);
  expect([average[0], average[999]]).toEqual([-2, -1]);
  expect(mergeControls(trusted, untrusted, 41).random).toEqual(random);
  expect(mergeControls(trusted, untrusted, 42).random).not.toEqual(random);
  expect(mergeControls(of(0, 0), of(1, -1), 1).scaled).toEqual(of(0, 0));
});
