// Tests the buffer's rules against values computed by hand.
import { describe, expect, it } from 'vitest';
import { type Entry, keepTop, learnability, pick, selectionProbabilities } from './sampler.ts';
import { gainOf } from './types.ts';

const entry = (id: number, score: number): Entry => ({
  id,
  parent: null,
  task: 'a',
  history: [{ text: 'x', quality: 0.5 }],
  score,
  uses: 0,
});

describe('selection', () => {
  it('is proportional to exp(κ S)', () => {
    // At κ = ln 2 the weights are 1, 2, 4, which sum to 7.
    const probabilities = selectionProbabilities([0, 1, 2], Math.log(2));
    for (const [i, share] of [1 / 7, 2 / 7, 4 / 7].entries()) expect(probabilities[i]).toBeCloseTo(share, 12);
    // Probabilities are even at κ = 0, and for equal scores.
    expect(selectionProbabilities([0, 1, 2], 0)).toEqual([1 / 3, 1 / 3, 1 / 3]);
    expect(selectionProbabilities([3, 3], 8)).toEqual([0.5, 0.5]);
    // Large exponents do not overflow.
    expect(selectionProbabilities([0, 1000], 1000)).toEqual([0, 1]);
  });

  it('picks the first entry whose cumulative probability exceeds u', () => {
    const probabilities = [0.25, 0.5, 0.25];
    expect([0, 0.2499, 0.25, 0.7499, 0.75, 0.9999].map((u) => pick(probabilities, u))).toEqual([0, 0, 1, 1, 2, 2]);
  });
});

it('scores a group by the variance of its returns', () => {
  // The mean is 0.5, with deviations −0.5, 0.5, −0.5, 0.5.
  expect(learnability([0, 1, 0, 1])).toBe(0.25);
  // The mean of −1, 0, −0.5, 0.5 is −1/4, with squared deviations 9/16, 1/16, 1/16, 9/16.
  expect(learnability([-1, 0, -0.5, 0.5])).toBeCloseTo(20 / 16 / 4, 12);
  expect(learnability([0.3, 0.3])).toBe(0);
});

it('keeps the highest scores in order of insertion, and the newer of equal ones', () => {
  const ids = (entries: readonly Entry[]) => entries.map(({ id }) => id);
  const four = [entry(0, 0.2), entry(1, 0.9), entry(2, 0.1), entry(3, 0.2)];
  expect(ids(keepTop(four, 4))).toEqual([0, 1, 2, 3]);
  expect(ids(keepTop(four, 3))).toEqual([0, 1, 3]);
  expect(ids(keepTop(four, 2))).toEqual([1, 3]);
});

it('rewards the gained share of what was missing, and under signed penalises losses', () => {
  expect(gainOf(0.5, 0.75, 'clipped')).toBe(0.5);
  expect(gainOf(0.5, 1, 'signed')).toBe(1);
  expect(gainOf(0.5, 0.25, 'clipped')).toBe(0);
  expect(gainOf(0.5, 0.25, 'signed')).toBe(-0.5);
  // (0 − 3/4)/(1/4) is −3, which is clipped to −1.
  expect(gainOf(0.75, 0, 'signed')).toBe(-1);
  expect([gainOf(1, 1, 'signed'), gainOf(1, 0.5, 'signed'), gainOf(1, 0.5, 'clipped')]).toEqual([0, -1, 0]);
});
