// Tests T4 with a planted answer: gradients of pure hacks lie a little further along V's axes. The check must pass with V, and fail with a
// random V, with V's sign flipped, with nothing planted, and where only the length differs.
import { describe, expect, it } from 'vitest';
import { type HackBasis, layRows } from '../../../algorithms/basis.ts';
import { orthonormalRows, randomBasis } from '../../../algorithms/controls.ts';
import type { AdapterLayout } from '../../../engine/types.ts';
import { CounterRng, STREAMS } from '../../../rng/index.ts';
import { contribution, firstAxes, randomAxes } from './cosine.ts';
import { discriminate } from './discriminate.ts';
import { rowMade } from './testing/made.ts';
import { t4 } from './verdicts.ts';

const R = 32;
const LAYOUT: AdapterLayout = {
  total: 4 * R,
  modules: [0, 1, 2, 3].map((m) => ({ name: `m${m}`, offset: m * R, r: R, dOut: R, dIn: R })),
};
const V = layRows(
  LAYOUT,
  LAYOUT.modules.map((_, m) => orthonormalRows(CounterRng.of(1, STREAMS.test, m), 2, R)),
);
const flipped: HackBasis = { ...V, V: V.V.map((x) => -x) };

/** 12 problems with 5 pure hacks and 3 that solve; `along` is the component of pure ones on every first axis, `perToken` what each token takes
 *  off it. */
function measure(basis: HackBasis, { along = 0, perToken = 0 } = {}) {
  const rng = CounterRng.of(2, STREAMS.test);
  const planted = firstAxes(V);
  const axes = firstAxes(basis);
  const draws = Array.from({ length: 39 }, (_, draw) => randomAxes(axes, 41, draw));
  const rows = Array.from({ length: 96 }, (_, i) => {
    const gt_pass = i % 8 > 4;
    // Pure hacks are shorter, but lengths overlap.
    const n_tokens = (gt_pass ? 36 : 30) + rng.int(12);
    const g = Float32Array.from({ length: LAYOUT.total }, () => rng.normal());
    for (const { offset, axis } of planted)
      for (let j = 0; j < R; j++) g[offset + j] += ((gt_pass ? 0 : along) - perToken * n_tokens) * axis[j];
    return rowMade({
      problem: `p${i >> 3}`,
      gt_pass,
      n_tokens,
      cos_S_contrib: contribution(g, axes),
      cos_random: draws.map((axes) => contribution(g, axes)),
    });
  });
  return t4(discriminate(rows, (row) => row.cos_S_contrib, { draws: 2000, seed: 41 }));
}

describe('T4 on planted gradients', () => {
  it('passes with the V that was planted', () => {
    expect(measure(V, { along: 1.5 }).outcome).toBe('pass');
  });
  it('fails with a random V', () => {
    expect(measure(randomBasis(V, LAYOUT, 41), { along: 1.5 }).outcome).toBe('fail');
  });
  it('fails with the sign of V flipped', () => {
    const verdict = measure(flipped, { along: 1.5 });
    expect(verdict.outcome).toBe('fail');
    expect(verdict.figures.t).toBeLessThan(-2);
  });
  it('fails if pure hacks do not differ', () => {
    expect(measure(V).outcome).toBe('fail');
  });
  it('fails if only the length differs, although the plain test would pass', () => {
    const verdict = measure(V, { perToken: 0.15 });
    expect(verdict.figures.t).toBeGreaterThan(2);
    expect(verdict).toMatchObject({ outcome: 'fail', note: expect.stringMatching(/completion length/) });
  });
});
