// The slope and its interval.
import { expect, it } from 'vitest';
import { slopeOf } from './slope.ts';

it('is the least-squares slope, with Student’s interval of n − 2 degrees of freedom', () => {
  // Σ(x − 3)(y − 4) = 6.
  const { n, slope, interval } = slopeOf([2, 4, 5, 4, 5].map((y, i) => [i + 1, y] as const));
  expect(n).toBe(5);
  expect(slope).toBeCloseTo(0.6, 12);
  // s² = 2.4 / 3, Σ(x − 3)² = 10, t(3) = 3.18245.
  const half = 3.182446 * Math.sqrt(2.4 / 3 / 10);
  expect(interval!.low).toBeCloseTo(0.6 - half, 5);
  expect(interval!.high).toBeCloseTo(0.6 + half, 5);
});

it('is exact on a line, and says where there is none', () => {
  const line = slopeOf([0, 0.5, 0.9].map((x) => [x, 1 - 2 * x] as const));
  expect(line.slope).toBeCloseTo(-2, 12);
  expect(line.interval!.high - line.interval!.low).toBeCloseTo(0, 9);
  expect(slopeOf([])).toEqual({ n: 0, slope: null, interval: null });
  expect(
    slopeOf([
      [1, 2],
      [1, 3],
    ]).slope,
  ).toBeNull();
  expect(
    slopeOf([
      [0, 2],
      [1, 3],
    ]),
  ).toEqual({ n: 2, slope: 1, interval: null });
});
