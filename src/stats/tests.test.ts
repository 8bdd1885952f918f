// Tests the statistical tests against published figures (Student 1908, Fisher 1935, Welch on the same data) and scipy.
import { describe, expect, it } from 'vitest';
import {
  holm,
  incompleteBeta,
  meanHeight,
  noncentralTCdf,
  normalCdf,
  pairedPower,
  pairedT,
  pairsFor,
  signFlip,
  smallestEffect,
  smallestSignFlipP,
  tCdf,
  tQuantile,
  trapezoid,
  tTwoSided,
  welchT,
} from './index.ts';

// Student (1908): extra hours of sleep of the same ten patients under two drugs; R's data set `sleep`.
const first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
const second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
const sleep = second.map((hours, i) => hours - first[i]);
// Darwin (1876): 15 pairs of crossed and self-fertilised maize, in eighths of an inch; Fisher (1935), §17 and §21.
const darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];

describe('distributions', () => {
  it('incomplete beta: closed forms and scipy.special.betainc', () => {
    expect(incompleteBeta(0.3, 1, 1)).toBeCloseTo(0.3, 14);
    expect(incompleteBeta(0.3, 2, 1)).toBeCloseTo(0.09, 14);
    expect(incompleteBeta(0.1, 0.5, 0.5)).toBeCloseTo((2 / Math.PI) * Math.asin(Math.sqrt(0.1)), 13);
    expect(incompleteBeta(0.8, 9, 4)).toBeCloseTo(0.7945689497600001, 12);
    expect([incompleteBeta(0, 2, 3), incompleteBeta(1, 2, 3)]).toEqual([0, 1]);
    expect(() => incompleteBeta(1.5, 1, 1)).toThrow(/1.5/);
  });

  it('t: Cauchy at one degree of freedom, and the printed table’s quantiles', () => {
    expect(tCdf(1, 1)).toBeCloseTo(0.75, 13);
    expect(tCdf(-1, 1)).toBeCloseTo(0.25, 13);
    expect(tCdf(0, 7)).toBe(0.5);
    expect(tCdf(-1.3, 3.7)).toBeCloseTo(0.13433336208631375, 12);
    expect(tCdf(2.5, 17.776)).toBeCloseTo(0.9887776997247423, 12);
    // The .975 column for df 1, 2, 4, 9, 30, and the .95 entry for df 4.
    const column = [1, 2, 4, 9, 30].map((df) => tQuantile(0.975, df).toFixed(3));
    expect(column).toEqual(['12.706', '4.303', '2.776', '2.262', '2.042']);
    expect(tQuantile(0.95, 4)).toBeCloseTo(2.131847, 6);
    expect(tQuantile(0.025, 9)).toBe(-tQuantile(0.975, 9));
    expect(() => tTwoSided(1, 0)).toThrow(/got 0/);
    expect(() => tQuantile(1, 5)).toThrow(/got 1/);
  });

  it('normal and noncentral t agree with scipy', () => {
    for (const [x, p] of [
      [-6, 9.865876450376946e-10],
      [-3, 0.0013498980316300933],
      [-1.96, 0.024997895148220435],
      [0.5, 0.6914624612740131],
      [3.6, 0.9998408914098424],
    ])
      expect(Math.abs(normalCdf(x) / p - 1)).toBeLessThan(1e-12);
    for (const [t, df, delta, p] of [
      [0.5, 9, 1, 0.3049242542770483],
      [2.262, 9, 3, 0.23879985868711998],
      [-1, 4, 0.5, 0.08614956903656282],
      [5, 1, 2, 0.6935374174878984],
    ])
      expect(noncentralTCdf(t, df, delta)).toBeCloseTo(p, 9);
    // With noncentrality 0 it equals the central t.
    expect(noncentralTCdf(1.7, 6, 0)).toBeCloseTo(tCdf(1.7, 6), 10);
  });
});

describe('paired t', () => {
  it('has Student’s sleep result: t = 4.0621, df = 9, p = 0.002833, interval 0.7001 to 2.4599', () => {
    const test = pairedT(sleep)!;
    expect(test.t).toBeCloseTo(4.062128, 6);
    expect(test.df).toBe(9);
    expect(test.p).toBeCloseTo(0.00283289, 8);
    expect(test.interval.low).toBeCloseTo(0.7001142, 7);
    expect(test.interval.high).toBeCloseTo(2.4598858, 7);
  });

  it('has Fisher’s result on Darwin’s maize: t = 2.148 with 14 degrees of freedom, p = 0.0497', () => {
    const test = pairedT(darwin)!;
    expect(test.t).toBeCloseTo(2.148, 3);
    expect(test.p).toBeCloseTo(0.0497029, 7);
  });

  it('has no result for one difference, and no p for equal ones', () => {
    expect(pairedT([0.3])).toBeNull();
    // These are equal on paper, but in floating point their sd is 3e-17.
    const equal = pairedT([0.3 - 0.1, 0.2, 0.5 - 0.3])!;
    expect([equal.sd, equal.t, equal.p]).toEqual([0, null, null]);
    expect(equal.interval.high - equal.interval.low).toBe(0);
    expect(pairedT([0, 0, 0])!.p).toBeNull();
    expect(() => pairedT([1, 2], 95)).toThrow(/95/);
  });
});

describe('sign flip', () => {
  it('counts Fisher’s enumeration of Darwin’s maize: 1726 of 32768 patterns', () => {
    // Fisher counts 863 of each sign that reach 314 or more.
    expect(signFlip(darwin)).toEqual({ n: 15, p: 1726 / 32_768, smallest: 2 / 32_768, exact: true });
  });

  it('a zero difference has no sign: the sleep data reach 4/1024', () => {
    expect(signFlip(sleep).p).toBe(4 / 1024);
  });

  it('differences of one sign give the smallest possible p, 0.0625 at n = 5', () => {
    expect(signFlip([0.1, 0.2, 0.15, 0.3, 0.12]).p).toBe(0.0625);
    expect(signFlip([-0.1, -0.1, -0.1, -0.1, -0.1]).p).toBe(0.0625);
    expect([1, 2, 5, 6, 10].map(smallestSignFlipP)).toEqual([1, 0.5, 0.0625, 0.03125, 0.001953125]);
    expect(signFlip([0.4]).p).toBe(1);
    expect(signFlip([0, 0, 0]).p).toBe(1);
    expect(() => signFlip([])).toThrow(/none/);
  });

  it('a tie in the sum counts as extreme, in spite of rounding', () => {
    // |±3 ± 1 ± 2| is 6, 4, 2 and 0 twice each, so four patterns reach 4.
    expect(signFlip([0.3, -0.1, 0.2]).p).toBe(4 / 8);
    expect(signFlip([0.1, 0.2, -0.3].map((x) => x * 3)).p).toBe(1);
    // In tenths, 12 of 16 patterns reach 4; naive floating point finds 10.
    expect(signFlip([-0.5, 0.2, 0.2, 0.5]).p).toBe(12 / 16);
  });

  it('uses random patterns beyond twenty pairs, close to the normal tail, deterministically', () => {
    const many = Array.from({ length: 24 }, (_, i) => (i % 3 ? 0.1 : -0.06) * (1 + (i % 5)));
    const drawn = signFlip(many);
    expect(drawn.exact).toBe(false);
    expect(signFlip(many)).toEqual(drawn);
    expect(signFlip(many, { seed: 1 }).p).not.toBe(drawn.p);
    // Σx and √Σx² are the statistic and its sd under sign flips.
    const z = many.reduce((s, x) => s + x, 0) / Math.sqrt(many.reduce((s, x) => s + x * x, 0));
    expect(Math.abs(drawn.p - 2 * normalCdf(-z))).toBeLessThan(0.01);
  });
});

describe('Holm', () => {
  it('adjusts by hand: R’s p.adjust(c(.01, .02, .03, .04), "holm") and the text-book case', () => {
    expect(holm([0.01, 0.02, 0.03, 0.04]).map((p) => p?.toFixed(4))).toEqual(['0.0400', '0.0600', '0.0600', '0.0600']);
    // Sorted .005, .01, .03, .04: ×4 = .02, ×3 = .03, ×2 = .06, ×1 = .04 raised to .06; given in another order.
    expect(holm([0.01, 0.04, 0.03, 0.005]).map((p) => p?.toFixed(3))).toEqual(['0.030', '0.060', '0.060', '0.020']);
  });

  it('never exceeds 1, does not count missing tests, keeps the order', () => {
    expect(holm([0.8, 0.9])).toEqual([1, 1]);
    expect(holm([null, 0.02, null, 0.03])).toEqual([null, 0.04, null, 0.04]);
    expect(holm([0.04])).toEqual([0.04]);
    expect(holm([])).toEqual([]);
    expect(() => holm([0.1, 1.2])).toThrow(/1.2/);
  });
});

describe('power', () => {
  it('has the textbook sizes: n = 34 shows half an sd with power 0.8078 (G*Power)', () => {
    expect(pairedPower(0.5, 34)).toBeCloseTo(0.8077775, 7);
    expect(pairsFor(0.5, 1)).toBe(34);
    expect(pairedPower(0, 10)).toBeCloseTo(0.05, 9);
  });

  it('smallest effect in sds: 1.682 at n = 5, 0.996 at n = 10 (power.t.test, strict; scipy’s nct)', () => {
    expect(smallestEffect(1, 5)).toBeCloseTo(1.681996965955555, 8);
    expect(smallestEffect(1, 6)).toBeCloseTo(1.4345447820404007, 8);
    expect(smallestEffect(0.1, 10)).toBeCloseTo(0.0996001371455444, 9);
    expect(smallestEffect(1, 3)).toBeCloseTo(3.2640435496997213, 7);
    expect(smallestEffect(null, 10)).toBeNull();
    expect(smallestEffect(0.1, 1)).toBeNull();
  });

  it('gives the fewest pairs that detect an effect', () => {
    const n = pairsFor(-0.08, 0.1) as number;
    expect(smallestEffect(0.1, n) as number).toBeLessThanOrEqual(0.08);
    expect(smallestEffect(0.1, n - 1) as number).toBeGreaterThan(0.08);
    expect(pairsFor(0, 0.1)).toBeNull();
    expect(pairsFor(0.0001, 1)).toBeNull();
  });
});

describe('Welch', () => {
  it('has R’s t.test(extra ~ group, sleep): t = 1.8608, df = 17.776, p = 0.07939', () => {
    const both = welchT(second, first, 'two-sided')!;
    expect(both.t).toBeCloseTo(1.8608135, 7);
    expect(both.df).toBeCloseTo(17.7764735, 6);
    expect(both.p).toBeCloseTo(0.0793941, 7);
    expect(welchT(second, first)!.p).toBeCloseTo(0.0396971, 7);
    expect(welchT(second, first, 'less')!.p).toBeCloseTo(1 - 0.0396971, 7);
  });

  it('is null without a spread', () => {
    expect(welchT([1], [1, 2])).toBeNull();
    expect(welchT([1, 1], [2, 2])).toBeNull();
  });
});

describe('area', () => {
  it('follows the trapezoid rule, and divided by the width is a mean', () => {
    expect(trapezoid([0, 1, 3], [0, 2, 4])).toBe(7); // 1 + 6
    expect(meanHeight([0, 1, 3], [0, 2, 4])).toBeCloseTo(7 / 3, 14);
    expect(meanHeight([5], [0.4])).toBe(0.4);
    expect(() => trapezoid([1, 1], [0, 0])).toThrow(/ascend/);
    expect(() => trapezoid([1], [])).toThrow(/1 and 0/);
  });
});
