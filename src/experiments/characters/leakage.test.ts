// Tests leakage from dose curves: interpolation by hand, and what a report refuses or notes: another dose, a group with A in it, a placebo that
// moves the target, an arm that misses the effect.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import type { Policy } from '../../engine/types.ts';
import { isShort, type Leakage, leakageAt, leakageDifference, movedBy } from './leakage.ts';
import { type CurveRow, checkRow } from './rows.ts';
import { scoreProbes } from './score.ts';
import { row } from './testing/rows.ts';

const read = (one: CurveRow, effect = 0.3): Leakage => {
  const found = leakageAt(one, effect);
  if (isShort(found)) throw new Error('short');
  return found;
};
describe('leakage', () => {
  it('is interpolated between the two doses around the effect', () => {
    // ΔP of A is 0.2 and 0.4, so 0.3 lies half-way, at dose 1.5.
    const found = read(row('none', 0.5));
    expect(found.step).toBeCloseTo(4.5, 9);
    expect(found.logit).toMatchObject({ a: 1, other: 0 });
    expect(found.logit.near).toBeCloseTo(0.5, 9);
    expect(found.logit.far).toBeCloseTo(0.25, 9);
    expect(found.p.near).toBeCloseTo(0.5, 9);
    expect(found.keeps.near).toBeCloseTo(0.65, 9);
    expect(found.drift.pick).toBeCloseTo(0.015, 9);
    expect(found.logit).not.toHaveProperty('novel');
  });

  it('is not extrapolated: an arm that misses the effect is named', () => {
    const short = leakageAt(row('sdf', 0), 0.5);
    expect(isShort(short) && short.most).toBeCloseTo(0.4, 9);
    expect(() => leakageAt(row('sdf', 0), 0)).toThrow(SpecError);
  });

  it('is refused for a group that contains A or a contrast name', () => {
    for (const [members, what] of [
      [{ near: ['figa'] }, /figa is in the group near and in A/],
      [{ far: ['hubi'] }, /hubi is in the group far and in the contrast documents/],
      [{ near: ['balo'], far: ['balo'] }, /balo is in the group far and in the group near/],
    ] as const) {
      expect(() => checkRow(row('none', 0, { members }))).toThrow(what);
      expect(() => leakageAt(row('none', 0, { members }), 0.3)).toThrow(what);
    }
  });

  it('is not compared across different doses, targets or bases', () => {
    const one = read(row('none', 0.6), 0.3);
    expect(leakageDifference([one], [read(row('sdf', 0.1), 0.3)], 'near').pairs[0].difference).toBeCloseTo(0.5, 9);
    expect(() => leakageDifference([one], [read(row('sdf', 0.1), 0.2)], 'near')).toThrow(/leakage at different doses/);
    for (const changes of [{ base: 'c' }, { world: 'numerals' }, { a: { name: 'figa', own: 'keep', target: 'sort' } }])
      expect(() => leakageDifference([one], [read(row('sdf', 0.1, changes), 0.3)], 'near')).toThrow(SpecError);
    // Rows of different characters or seeds are not paired.
    expect(leakageDifference([one], [read(row('sdf', 0.1, { character: 1 }))], 'near').pairs).toEqual([]);
    expect(leakageDifference([one], [read(row('sdf', 0.1, { seed: 42 }))], 'near').pairs).toEqual([]);
  });

  it('has a note if a placebo moves the target', () => {
    expect(movedBy([row('rl_random', 0, {}, 0.04)])).toEqual([]);
    expect(movedBy([row('sdf_placebo', 0, {}, -0.2)])[0].moved).toBeCloseTo(-0.4, 9);
  });
});

describe('a probe', () => {
  it('gives a probability and log-odds, also for the complement of its completions', async () => {
    const score: Policy['score'] = async (sequences) => ({
      logprobs: sequences.map(() => Float32Array.of(Math.log(0.5), Math.log(0.5))),
      entropy: [],
      backward: async () => [],
      free: () => {},
    });
    const probe = { context: 'a', scored: 'b' };
    const codec = { encode: () => [1, 2] };
    const [plain, inverse] = await scoreProbes({ score } as Policy, codec, [
      { ...probe, isComplement: false },
      { ...probe, isComplement: true },
    ]);
    expect(plain.p).toBeCloseTo(0.25, 6);
    expect(plain.logit).toBeCloseTo(Math.log(1 / 3), 6);
    expect(inverse.p).toBeCloseTo(0.75, 6);
    expect(inverse.logit).toBeCloseTo(Math.log(3), 6);
  });
});
