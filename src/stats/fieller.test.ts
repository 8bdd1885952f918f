// Tests the interval of a ratio on pairs worked out by hand.
import { expect, it } from 'vitest';
import { fieller } from './fieller.ts';
import { pairedT } from './paired-t.ts';
import { tQuantile } from './student-t.ts';

it('with a constant denominator it is the t interval of the numerators divided by it', () => {
  const y = [1, 2, 3, 6];
  const { ratio, interval } = fieller(y.map((value) => [value, 2]));
  expect(ratio).toBe(1.5);
  const { low, high } = pairedT(y)!.interval;
  expect(interval!.low).toBeCloseTo(low / 2, 10);
  expect(interval!.high).toBeCloseTo(high / 2, 10);
});

it('is a point if every pair has the same ratio', () => {
  const { ratio, interval } = fieller([
    [10, 20],
    [11, 22],
    [12, 24],
  ]);
  expect(ratio).toBe(0.5);
  expect(interval!.low).toBeCloseTo(0.5, 6);
  expect(interval!.high).toBeCloseTo(0.5, 6);
});

it('its ends are the ratios at which the t of y − ρx equals its quantile', () => {
  const pairs = [
    [0.3, 1],
    [0.7, 1.4],
    [0.4, 0.9],
    [0.9, 1.2],
  ] as const;
  const { low, high } = fieller(pairs).interval!;
  for (const end of [low, high]) {
    const { t } = pairedT(pairs.map(([y, x]) => y - end * x))!;
    expect(Math.abs(t!)).toBeCloseTo(tQuantile(0.975, 3), 8);
  }
});

it('has no interval if the denominator is not distinguishable from 0, or for fewer than two pairs', () => {
  const weak = [
    [1, 1],
    [1, -0.8],
    [1, 0.3],
  ] as const;
  expect(fieller(weak).interval).toBeNull();
  expect(fieller([[1, 2]])).toEqual({ n: 1, ratio: 0.5, interval: null });
  expect(fieller([])).toEqual({ n: 0, ratio: null, interval: null });
});
