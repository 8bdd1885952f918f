// Tests that intervals of shares stay within 0 and 1, and agree with published values.
import { describe, expect, it } from 'vitest';
import { areApart, meanInterval, meanShareInterval, shareInterval, wilson, withinDifferences } from './share.ts';

describe('Wilson', () => {
  it('agrees with R’s binom::binom.wilson', () => {
    expect(wilson(8, 10)).toEqual({ low: expect.closeTo(0.4901625, 6), high: expect.closeTo(0.9433178, 6) });
    expect(wilson(15, 32)).toEqual({ low: expect.closeTo(0.3087, 4), high: expect.closeTo(0.6355, 4) });
  });

  it('ends exactly at 0 and 1 for no or all successes', () => {
    expect(wilson(0, 20)).toEqual({ low: 0, high: expect.closeTo(0.1611252, 6) });
    expect(wilson(20, 20)).toEqual({ low: expect.closeTo(0.8388748, 6), high: 1 });
    expect(wilson(0, 0)).toBeNull();
    expect(() => wilson(3, 2)).toThrow('0 ≤ successes ≤ trials');
  });
});

describe('a mean of shares', () => {
  // Five seeds of a hack rate, for which Student's interval on the plain scale would end at 113%.
  const apart = [0.6875, 0.109375, 0.90625, 0.9375, 0.875];

  it('has an interval within 0 and 1 when Student’s is not', () => {
    expect(meanInterval(apart, false)!.high).toBeGreaterThan(1);
    const { low, high } = meanInterval(apart, true)!;
    expect(low).toBeGreaterThan(0.2);
    expect(high).toBeLessThan(1);
    expect(areApart({ low, high })).toBe(true);
  });

  it('has an interval close to Student’s if the shares are similar', () => {
    const close = [0.44, 0.46, 0.45, 0.47];
    const [plain, logit] = [meanInterval(close, false)!, meanShareInterval(close)!];
    expect(logit.low).toBeCloseTo(plain.low, 3);
    expect(logit.high).toBeCloseTo(plain.high, 3);
    expect(areApart(logit)).toBe(false);
  });

  it('has no interval at 0 or 1, and a point without spread', () => {
    expect(meanShareInterval([0, 0, 0])).toBeNull();
    expect(shareInterval({ mean: 0.3, sem: 0, df: 4 })).toEqual({ low: 0.3, high: 0.3 });
    expect(meanShareInterval([0.5])).toBeNull();
    expect(() => meanShareInterval([0.5, 1.2])).toThrow('between 0 and 1');
  });
});

it('an interval of a difference of shares ends at ±1', () => {
  expect(withinDifferences({ low: 0.24, high: 1.1 })).toEqual({ low: 0.24, high: 1 });
});
