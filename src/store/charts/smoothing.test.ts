import { describe, expect, it } from 'vitest';
import { debiasedEma, meanOf, pickIndices } from './smoothing.ts';

describe('debiasedEma', () => {
  it('leaves a constant series unchanged from the first value on', () => {
    for (const y of debiasedEma([0.3, 0.3, 0.3, 0.3], 0.8)) expect(y).toBeCloseTo(0.3, 12);
  });

  it('weighs the past by β, normalised by the weights seen so far', () => {
    // x1 = 1, x2 = 0: (β(1−β)·1 + (1−β)·0) / (1 − β²) = β / (1 + β).
    expect(debiasedEma([1, 0], 0.5)[1]).toBeCloseTo(1 / 3, 12);
  });

  it('skips what was not measured', () => {
    const y = debiasedEma([1, null, 0], 0.5);
    expect(y[1]).toBeNull();
    expect(y[2]).toBeCloseTo(1 / 3, 12);
  });

  it('equals the raw series at β = 0', () => {
    expect(debiasedEma([0.1, 0.9, 0.4], 0)).toEqual([0.1, 0.9, 0.4]);
  });
});

describe('meanOf', () => {
  it('takes the mean of the values that are not null', () => {
    expect(meanOf([1, null, 3, undefined])).toBe(2);
    expect(meanOf([null, undefined])).toBeNull();
  });
});

describe('pickIndices', () => {
  it('returns all indices if they fit', () => {
    expect(pickIndices(3, 600)).toEqual([0, 1, 2]);
  });

  it('includes the first and the last index, in order, without repeats', () => {
    const picked = pickIndices(10_000, 600);
    expect(picked).toHaveLength(600);
    expect(picked[0]).toBe(0);
    expect(picked[599]).toBe(9999);
    expect(new Set(picked).size).toBe(600);
    expect(picked.every((x, i) => i === 0 || x > picked[i - 1])).toBe(true);
  });
});
