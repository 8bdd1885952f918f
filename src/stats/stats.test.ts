import { describe, expect, it } from 'vitest';
import { lnGamma, mean, meanNorm, meanOfKnown, quantile, sd, sem, Welford } from './index.ts';

describe('moments', () => {
  const values = [2, 4, 4, 4, 5, 5, 7, 9]; // mean 5, Σ(x−5)² = 32
  it('mean, sd and sem of a hand-computed sample', () => {
    expect(mean(values)).toBe(5);
    expect(sd(values)).toBeCloseTo(Math.sqrt(32 / 7), 14);
    expect(sem(values)).toBeCloseTo(Math.sqrt(32 / 7 / 8), 14);
  });

  it('has no mean of an empty sample and no sd of one value', () => {
    expect(mean([])).toBeNull();
    expect(sd([3])).toBeNull();
    expect(sem([3])).toBeNull();
    expect(quantile([], 0.5)).toBeNull();
    expect(meanOfKnown([null, 1, null, 3])).toBe(2);
    expect(meanOfKnown([null])).toBeNull();
  });

  it('quantile interpolates as numpy does', () => {
    // numpy.quantile([4, 1, 3, 2], [0, .25, .4, 1]) = 1, 1.75, 2.2, 4
    const sample = [4, 1, 3, 2];
    expect([0, 0.25, 0.4, 1].map((q) => quantile(sample, q))).toEqual([1, 1.75, 2.2, 4]);
    expect(sample).toEqual([4, 1, 3, 2]);
    expect(() => quantile(sample, 1.5)).toThrow(/1.5/);
  });

  it('Welford’s running mean and sd keep their precision at an offset of 1e9', () => {
    const running = new Welford();
    expect(running.mean).toBeNull();
    for (const value of values) running.add(value + 1e9);
    expect(running.n).toBe(8);
    expect(running.mean).toBeCloseTo(1e9 + 5, 6);
    expect(running.sd).toBeCloseTo(Math.sqrt(32 / 7), 7);
  });
});

describe('gamma', () => {
  it('has the known values', () => {
    expect(lnGamma(1)).toBeCloseTo(0, 14);
    expect(lnGamma(0.5)).toBeCloseTo(0.5 * Math.log(Math.PI), 14);
    expect(lnGamma(5)).toBeCloseTo(Math.log(24), 13);
    expect(lnGamma(0.25)).toBeCloseTo(1.2880225246980774, 13);
    expect(lnGamma(100)).toBeCloseTo(359.1342053695754, 10);
    expect(() => lnGamma(0)).toThrow(/got 0/);
  });

  it('the mean norm of a standard normal vector in 1, 2 and 3 dimensions is √(2/π), √(π/2), 2√(2/π)', () => {
    expect(meanNorm(0)).toBe(0);
    expect(meanNorm(1)).toBeCloseTo(Math.sqrt(2 / Math.PI), 14);
    expect(meanNorm(2)).toBeCloseTo(Math.sqrt(Math.PI / 2), 14);
    expect(meanNorm(3)).toBeCloseTo(2 * Math.sqrt(2 / Math.PI), 14);
  });
});
