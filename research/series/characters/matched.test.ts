// Tests figures at equal tokens and at equal drift, on invented curves.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import type { CurveRow } from '../../../src/experiments/characters/rows.ts';
import { row } from '../../../src/experiments/characters/testing/rows.ts';
import { differenceOf, matched } from './matched.ts';

/** The same curve with other tokens, or another drift, per dose. */
const paced = (one: CurveRow, tokens: number, drift: number): CurveRow => ({
  ...one,
  curve: one.curve.map((point, dose) => ({
    ...point,
    tokens: tokens * dose,
    drift: { ...point.drift, pick: 0.5 + drift * dose },
  })),
});
const arms = ['sdf', 'none'] as const;

describe('arms matched by tokens or drift instead of their effect', () => {
  it('are read at the smaller number of tokens, between doses', () => {
    // SDF ends at 300 tokens, which RL reaches half-way between its first and second dose of 200.
    const rows = [paced(row('sdf', 0.1), 150, 0.1), paced(row('none', 0.5), 200, 0.1)];
    const { pairs } = matched(rows, arms, 'tokens');
    expect(pairs).toHaveLength(1);
    const [{ at, one, other }] = pairs;
    expect(at).toBe(300);
    expect(one.effect).toBeCloseTo(0.4, 9);
    expect(other.effect).toBeCloseTo(0.3, 9);
    expect(one.logit.a).toBeCloseTo(4, 9);
    expect(other.logit.a).toBeCloseTo(3, 9);
    expect(other.logit.near).toBeCloseTo(1.5, 9);
    expect(differenceOf(pairs, 'near')).toBeNull();
  });

  it('are read at the smaller drift; characters without drift are named', () => {
    const rows = [
      ...[paced(row('sdf', 0.1), 100, 0.2), paced(row('none', 0.5), 100, 0.1)],
      ...[row('sdf', 0.1, { character: 1 }), paced(row('none', 0.5, { character: 1 }), 100, 0.005)],
    ];
    const { pairs, left } = matched(rows, arms, 'drift');
    expect(pairs.map(({ at }) => at)).toEqual([expect.closeTo(0.2, 9)]);
    expect(pairs[0].one.effect).toBeCloseTo(0.2, 9);
    expect(pairs[0].other.effect).toBeCloseTo(0.4, 9);
    expect(left).toEqual(['figa']);
  });

  it('are paired by character, seed and base, and refused if a group contains A', () => {
    const others = { character: 1, a: { name: 'nopo', own: 'keep', target: 'reverse' } };
    const rows = [row('sdf', 0.1), row('none', 0.5), row('sdf', 0.1, others), row('none', 0.7, others)];
    const { pairs } = matched(rows, arms, 'tokens');
    expect(pairs.map(({ name }) => name)).toEqual(['figa', 'nopo']);
    // 4 · (.5 − .1) and 4 · (.7 − .1).
    expect(differenceOf(pairs, 'near')).toMatchObject({ n: 2, mean: expect.closeTo(2, 9) });
    expect(matched([row('sdf', 0.1), row('none', 0.5, { base: 'c' })], arms, 'tokens').pairs).toEqual([]);
    const wrong = row('none', 0.5, { members: { near: ['figa'] } });
    expect(() => matched([row('sdf', 0.1), wrong], arms, 'tokens')).toThrow(SpecError);
  });
});
