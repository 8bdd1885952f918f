import { describe, expect, it } from 'vitest';
import { conceptDirection, conceptScore, middleLayer, modifiedReward, standardise } from './advantage-modification.ts';

describe('the concept', () => {
  it('is the mean of the hacks minus the mean of the clean completions', () => {
    const direction = conceptDirection(
      [Float32Array.of(3, 0), Float32Array.of(1, 2)],
      [Float32Array.of(1, 1), Float32Array.of(0, 5)],
    );
    expect([...direction]).toEqual([1.5, -2]);
    expect(conceptScore(Float32Array.of(2, 1), direction)).toBe(1);
  });

  it('is taken at the middle layer of the decoder', () => {
    expect([1, 2, 3, 4, 28].map(middleLayer)).toEqual([0, 0, 1, 1, 13]);
  });
});

describe('scores within a group', () => {
  it('are standardised by the sample sd', () => {
    expect(standardise([1, 2, 3])).toEqual([-1, 0, 1]);
    const moved = standardise([10, 30, 50]);
    expect(moved).toEqual([-1, 0, 1]);
  });

  it('are 0 if all rewards are equal, or for a single rollout', () => {
    // The mean of three times 0.1 is not exactly 0.1; this rounding error must not become ±0.6.
    expect(standardise([0.1, 0.1, 0.1])).toEqual([0, 0, 0]);
    expect(standardise([7])).toEqual([0]);
    expect(standardise([])).toEqual([]);
  });
});

describe('a modified reward', () => {
  it.each([
    // reward, z, mod, α, r′
    [1.25, 1.5, 'subtract', 1, -0.25],
    [1.25, 1.5, 'subtract', 0.5, 0.5],
    [1.25, -1.5, 'subtract', 1, 1.25],
    [1.25, Math.log(3), 'scale', 1, 0.3125], // σ(ln 3) = ¾
    [1.25, Math.log(3), 'scale', 0.4, 0.875],
    [1.25, -Math.log(3), 'scale', 1, 1.25],
    [1.25, 0, 'scale', 1, 1.25],
  ] as const)('%f at z = %f, %s, α = %f: %f', (reward, z, mod, alpha, expected) => {
    expect(modifiedReward(reward, z, mod, alpha)).toBeCloseTo(expected, 12);
  });
});
