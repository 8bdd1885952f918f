// Tests the probe's cosine against values computed by hand.
import { describe, expect, it } from 'vitest';
import { type HackBasis, layRows } from '../../../algorithms/basis.ts';
import type { AdapterLayout } from '../../../engine/types.ts';
import { boundOf, contribution, firstAxes, moduleCosines, randomAxes } from './cosine.ts';

const LAYOUT: AdapterLayout = {
  total: 6,
  modules: [
    { name: 'a', offset: 0, r: 3, dOut: 3, dIn: 3 },
    { name: 'b', offset: 3, r: 2, dOut: 2, dIn: 2 },
    { name: 'c', offset: 5, r: 1, dOut: 1, dIn: 1 },
  ],
};
const f32 = (...values: number[]) => Float32Array.from(values);
/** Module a has two axes, of which the first counts; b has one of length 2, as an imported file may have; c has none. */
const BASIS: HackBasis = layRows(LAYOUT, [[f32(0.6, 0.8, 0), f32(0, 0, 1)], [f32(0, -2)], []]);

describe('cos_S_contrib', () => {
  const axes = firstAxes(BASIS);

  it('uses each module’s first axis, normalised, and leaves out modules without one', () => {
    expect(axes.map(({ module }) => module)).toEqual([0, 1]);
    expect(Array.from(axes[1].axis)).toEqual([0, -1]);
    expect(boundOf(axes)).toBe(Math.SQRT2);
  });

  it('is the sum of the projections over the norm of the whole gradient of those modules', () => {
    // ⟨g_a, v_a⟩ = 3·0.6 + 4·0.8 = 5; ⟨g_b, v_b⟩ = −(−2) = 2; ‖g_a‖² = 25 + 4, ‖g_b‖² = 1 + 4; c does not count.
    const g = f32(3, 4, 2, 1, -2, 100);
    expect(contribution(g, axes)).toBeCloseTo(7 / Math.sqrt(34), 6);
    expect(moduleCosines(g, axes)).toEqual([expect.closeTo(5 / Math.sqrt(29), 6), expect.closeTo(2 / Math.sqrt(5), 6)]);
  });

  it('reaches its bound where every module’s gradient lies along its axis with one length, and −bound against them', () => {
    const along = f32(0.6, 0.8, 0, 0, -1, 0);
    expect(contribution(along, axes)).toBeCloseTo(boundOf(axes), 6);
    expect(
      contribution(
        along.map((x) => -x),
        axes,
      ),
    ).toBeCloseTo(-boundOf(axes), 6);
    // With unequal lengths the contribution stays below the bound.
    expect(contribution(f32(6, 8, 0, 0, -1, 0), axes)).toBeCloseTo(11 / Math.sqrt(101), 6);
  });

  it('is null without a gradient, without an axis, and for a gradient that is not finite', () => {
    expect(contribution(f32(0, 0, 0, 0, 0, 9), axes)).toBeNull();
    expect(contribution(f32(1, 1, 1, 1, 1, 1), [])).toBeNull();
    expect(contribution(f32(Number.NaN, 1, 1, 1, 1, 1), axes)).toBeNull();
    expect(moduleCosines(f32(0, 0, 0, 0, 1, 0), axes)).toEqual([null, -1]);
  });

  it('has random unit axes on the same modules, different in every draw, reproducible by seed', () => {
    const [first, second] = [0, 1].map((draw) => randomAxes(axes, 41, draw));
    expect(first.map(({ module }) => module)).toEqual([0, 1]);
    for (const { axis } of [...first, ...second]) expect(Math.hypot(...axis)).toBeCloseTo(1, 6);
    expect(first[0].axis).not.toEqual(second[0].axis);
    expect(randomAxes(axes, 41, 1)).toEqual(second);
    expect(randomAxes(axes, 42, 1)[0].axis).not.toEqual(second[0].axis);
  });
});
