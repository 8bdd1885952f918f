// Tests the rules for two gradients on numbers worked out by hand.
import { describe, expect, it } from 'vitest';
import { norm } from '../vectors.ts';
import {
  agem,
  agreeElement,
  agreeModule,
  pcgrad,
  permutedWithinModules,
  type Rule,
  randomLike,
  trustedWeights,
} from './rules.ts';

const modules = [
  { offset: 0, r: 2 },
  { offset: 2, r: 2 },
];
const of = (...values: number[]) => Float32Array.from(values);
const combined = (rule: Rule, untrusted: Float32Array, trusted: Float32Array, direction = trusted) =>
  Array.from(rule({ untrusted, trusted, direction, modules }));

describe('A-GEM', () => {
  it('removes the conflicting component, so that the rest is orthogonal to the trusted gradient', () => {
    // ⟨g_u, g_t⟩ = ⟨(3, −1, 0, 0), (0, 2, 0, 0)⟩ = −2 and ⟨g_t, g_t⟩ = 4, so half of g_t is added.
    expect(combined(agem, of(3, -1, 0, 0), of(0, 2, 0, 0))).toEqual([3, 0, 0, 0]);
  });
  it('leaves a gradient without a conflict, or with a zero trusted gradient, unchanged', () => {
    expect(combined(agem, of(3, 1, 0, 0), of(0, 2, 0, 0))).toEqual([3, 1, 0, 0]);
    expect(combined(agem, of(3, -1, 0, 0), of(0, 0, 0, 0))).toEqual([3, -1, 0, 0]);
  });
  it('uses the given direction, not the trusted gradient itself', () => {
    expect(combined(agem, of(3, -1, 0, 0), of(0, 2, 0, 0), of(-1, 0, 0, 0))).toEqual([0, -1, 0, 0]);
  });
});

describe('PCGrad', () => {
  it('projects each gradient away from the other’s original value, then adds them', () => {
    // u = (1, 0), t = (−1, 1): u − (−1/2) t = (½, ½); t − (−1/1) u = (0, 1).
    expect(combined(pcgrad, of(1, 0, 0, 0), of(-1, 1, 0, 0))).toEqual([0.5, 1.5, 0, 0]);
  });
  it('is the sum if they agree', () => {
    expect(combined(pcgrad, of(1, 0, 0, 0), of(1, 1, 0, 0))).toEqual([2, 1, 0, 0]);
  });
});

describe('agreement', () => {
  it('by element: adds untrusted elements of the same sign', () => {
    expect(combined(agreeElement, of(1, -2, 3, 0), of(2, 2, 1, 1))).toEqual([3, 2, 4, 1]);
  });
  it('by module: adds the whole module or nothing', () => {
    // module 0: 1·2 − 2·2 = −2 < 0; module 1: 3·1 − 1·1 = 2 > 0.
    expect(combined(agreeModule, of(1, -2, 3, -1), of(2, 2, 1, 1))).toEqual([2, 2, 4, 0]);
  });
});

describe('TDGA', () => {
  it('weights the top directions of each module by their magnitude relative to the largest', () => {
    const moved = of(1, -4, 2, 0.5, 0, 0);
    const three = [
      { offset: 0, r: 2 },
      { offset: 2, r: 2 },
      { offset: 4, r: 2 },
    ];
    expect(Array.from(trustedWeights(moved, three, 2))).toEqual([0.25, 1, 1, 0.25, 0, 0]);
    expect(Array.from(trustedWeights(moved, three, 1))).toEqual([0, 1, 1, 0, 0, 0]);
  });
  it('equals the projection of the weight gradient onto output directions', () => {
    // W = I: U = Vh = I. ΔW = diag(3, −1): output directions e0, e1 with singular values 3, 1. G = diag(5, 6):
    // Σ_i (s_i/s_0) p_i p_iᵀ G = diag(5, 6/3).
    const w = trustedWeights(of(3, -1), [{ offset: 0, r: 2 }], 2);
    expect([5 * w[0], 6 * w[1]].map((x) => x.toFixed(5))).toEqual(['5.00000', '2.00000']);
  });
});

describe('placebos', () => {
  const trusted = of(3, 4, 0, 2);
  it('a random direction has the trusted norm in every module and is determined by its key', () => {
    const random = randomLike(trusted, modules, { seed: 1, step: 0 });
    expect(norm(random, 0, 2)).toBeCloseTo(5, 5);
    expect(norm(random, 2, 4)).toBeCloseTo(2, 5);
    expect(randomLike(trusted, modules, { seed: 1, step: 0 })).toEqual(random);
    expect(randomLike(trusted, modules, { seed: 1, step: 1 })).not.toEqual(random);
    expect(randomLike(of(0, 0, 1, 1), modules, { seed: 1, step: 0 }).subarray(0, 2)).toEqual(of(0, 0));
  });
  it('shuffled weights are permuted within each module', () => {
    const weights = Float32Array.from({ length: 16 }, (_, i) => i);
    const halves = [
      { offset: 0, r: 8 },
      { offset: 8, r: 8 },
    ];
    const dealt = permutedWithinModules(weights, halves, 3);
    expect(dealt).not.toEqual(weights);
    for (const from of [0, 8])
      expect([...dealt.subarray(from, from + 8)].sort((a, b) => a - b)).toEqual([...weights.subarray(from, from + 8)]);
  });
});
