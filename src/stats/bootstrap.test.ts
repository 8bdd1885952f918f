import { describe, expect, it } from 'vitest';
import { bootstrap, bootstrapInterval, mean, pairedDifference, quantile, sd } from './index.ts';

const average = (sample: Float64Array) => mean(sample) as number;
const median = (sample: Float64Array) => quantile(sample, 0.5) as number;

describe('bootstrap', () => {
  // Efron and Tibshirani, table 2.2: survival of seven treated mice, with bootstrap standard errors.
  const treated = [94, 197, 16, 38, 99, 141, 23];
  it('has the published standard errors of the mouse data', () => {
    const errorOf = (statistic: (sample: Float64Array) => number) =>
      sd(bootstrap(treated, statistic, { resamples: 40_000 })) as number;
    // Over 40,000 draws, four standard errors of these two are about 0.32 and 0.47.
    expect(Math.abs(errorOf(average) - 23.36)).toBeLessThan(0.4);
    expect(Math.abs(errorOf(median) - 37.83)).toBeLessThan(0.6);
  });

  it('agrees with an enumeration of all resamples', () => {
    // Three values: 27 equally likely resamples, whose means are 0 (1 of 27), 1 (3), 2 (3), 3 (1 + 3), 4 (6), …
    const values = [0, 3, 9];
    const exact = new Map<number, number>();
    for (const a of values)
      for (const b of values) for (const c of values) exact.set((a + b + c) / 3, (exact.get((a + b + c) / 3) ?? 0) + 1);
    const drawn = bootstrap(values, average, { resamples: 27_000 });
    for (const [value, count] of exact) {
      const share = drawn.filter((x) => Math.abs(x - value) < 1e-9).length / drawn.length;
      // Five standard errors of a share over 27,000 draws.
      expect(Math.abs(share - count / 27)).toBeLessThan(5 * Math.sqrt(((count / 27) * (1 - count / 27)) / 27_000));
    }
  });

  it('covers the whole range of two values, since each end has a quarter of the resamples', () => {
    expect(bootstrapInterval([1, 2], average)).toEqual({ low: 1, high: 2 });
    expect(bootstrapInterval([1, 2], average, { coverage: 0.4 })).toEqual({ low: 1.5, high: 1.5 });
  });

  it('is deterministic, and depends on the seed', () => {
    const values = [0.1, 0.4, 0.2, 0.9, 0.35];
    expect(bootstrap(values, average)).toEqual(bootstrap(values, average));
    expect(bootstrap(values, average, { seed: 1 })).not.toEqual(bootstrap(values, average));
  });

  it('has no interval for fewer than two values', () => {
    expect(bootstrapInterval([5], average)).toBeNull();
    expect(() => bootstrap([], average)).toThrow(/none/);
    expect(() => bootstrapInterval([1, 2], average, { coverage: 95 })).toThrow(/95/);
  });
});

describe('paired differences', () => {
  // Student's sleep data (1908): extra hours under two drugs, the same ten patients. Mean difference 1.58, sd 1.23.
  const first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
  const second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
  it('has the published mean and sd of the sleep data, and an interval around them', () => {
    const { n, mean: centre, sd: spread, interval } = pairedDifference(first, second);
    expect(n).toBe(10);
    expect(centre).toBeCloseTo(1.58, 12);
    expect(spread).toBeCloseTo(1.229995, 6);
    // The t interval is 0.70 to 2.46; the percentile interval is narrower, by the factors √(9/10) and 1.96 / 2.26.
    expect(interval!.low).toBeGreaterThan(0.8);
    expect(interval!.low).toBeLessThan(1.1);
    expect(interval!.high).toBeGreaterThan(2.15);
    expect(interval!.high).toBeLessThan(2.5);
  });

  it('ignores what both members of a pair share', () => {
    const before = [0.1, 0.5, 0.9];
    const after = before.map((value) => value - 0.25);
    const { mean: centre, sd: spread, interval } = pairedDifference(before, after);
    expect(centre).toBeCloseTo(-0.25, 12);
    expect(spread).toBeCloseTo(0, 12);
    expect(interval!.high).toBeCloseTo(-0.25, 12);
  });

  it('gives no spread for n = 1, and refuses unpaired samples', () => {
    expect(pairedDifference([0.5], [0.25])).toEqual({
      n: 1,
      differences: [-0.25],
      mean: -0.25,
      sd: null,
      interval: null,
    });
    expect(() => pairedDifference([1, 2], [1])).toThrow(/2 and 1/);
    expect(() => pairedDifference([], [])).toThrow(/0 and 0/);
  });
});
