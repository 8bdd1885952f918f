// Tests the verifier on answers drawn from a known logistic model: recovered weights, calibration, and edge cases.
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../rng/index.ts';
import { areaUnderRoc, mean } from '../stats/index.ts';
import { type Example, fitVerifier, rightProbability } from './verifier.ts';

const D = 12;
/** Answers that are right with probability σ(2 z₀ − z₁ + ½), with features of different means and spreads. */
function drawn(count: number, part: number): Example[] {
  const rng = CounterRng.of(5, STREAMS.gate, part);
  return Array.from({ length: count }, () => {
    const z = Array.from({ length: D }, () => rng.normal());
    const isRight = rng.uniform() < 1 / (1 + Math.exp(-(2 * z[0] - z[1] + 0.5)));
    return { features: Float32Array.from(z, (x, j) => 100 + j + (1 + j) * x), isRight };
  });
}

describe('fitVerifier', () => {
  const verifier = fitVerifier(drawn(2000, 1), D);

  it('recovers the model from which the answers were drawn', () => {
    const scaled = [...verifier.weights];
    expect(scaled[0]).toBeGreaterThan(1.6);
    expect(scaled[0]).toBeLessThan(2.1);
    expect(scaled[1]).toBeLessThan(-0.7);
    expect(scaled[1]).toBeGreaterThan(-1.1);
    for (const other of scaled.slice(2)) expect(Math.abs(other)).toBeLessThan(0.15);
  });

  it('has converged: the gradient at its weights is 0', () => {
    const examples = drawn(2000, 1);
    const slope = new Float64Array(D);
    let biasSlope = 0;
    for (const { features, isRight } of examples) {
      const error = (rightProbability(verifier, features) - Number(isRight)) / examples.length;
      biasSlope += error;
      for (let j = 0; j < D; j++) slope[j] += error * ((features[j] - verifier.centre[j]) / verifier.spread[j]);
    }
    expect(Math.abs(biasSlope)).toBeLessThan(1e-4);
    for (let j = 0; j < D; j++) expect(Math.abs(slope[j] + 0.01 * verifier.weights[j])).toBeLessThan(1e-4);
  });

  it('is calibrated on new answers, and ranks them', () => {
    const unseen = drawn(4000, 2).map(({ features, isRight }) => ({
      p: rightProbability(verifier, features),
      isRight,
    }));
    for (const [low, high] of [
      [0, 0.25],
      [0.25, 0.5],
      [0.5, 0.75],
      [0.75, 1],
    ]) {
      const bin = unseen.filter(({ p }) => p >= low && p < high);
      const apart = mean(bin.map(({ p }) => p))! - mean(bin.map(({ isRight }) => Number(isRight)))!;
      expect(Math.abs(apart)).toBeLessThan(0.06);
    }
    const of = (right: boolean) => unseen.filter(({ isRight }) => isRight === right).map(({ p }) => p);
    expect(areaUnderRoc(of(true), of(false))).toBeGreaterThan(0.85);
  });

  it('gives a constant probability after answers of one kind, or none', () => {
    const right = drawn(6, 3).map((example) => ({ ...example, isRight: true }));
    expect(rightProbability(fitVerifier(right, D), right[0].features)).toBeCloseTo(7 / 8, 12);
    expect(rightProbability(fitVerifier([], D), new Float32Array(D))).toBe(0.5);
  });

  it('handles a constant feature', () => {
    const flat = drawn(200, 4).map(({ features, isRight }) => ({ features: features.with(3, 7), isRight }));
    const fitted = fitVerifier(flat, D);
    expect(fitted.weights[3]).toBeCloseTo(0, 9);
    expect(Number.isFinite(rightProbability(fitted, flat[0].features))).toBe(true);
  });
});
