// Tests singular coordinates and shared shares against values by hand.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import type { AdapterLayout } from '../../engine/types.ts';
import type { Update } from './rows.ts';
import { row } from './testing/rows.ts';
import { packUpdate, sharedShares, singularCoordinates, unpackUpdate } from './updates.ts';

const updateOf = (coordinates: number[]): Update => {
  return { step: 3, gained: 0.3, squared: 1, along: 1, coordinates: packUpdate(Float32Array.from(coordinates)) };
};
const taught = (arm: string, name: string, coordinates: number[]) =>
  row(arm, 0, { a: { name, own: 'keep', target: 'reverse' }, update: updateOf(coordinates) });

describe('singular coordinates', () => {
  const module = (name: string, offset: number, dOut: number, dIn: number) => {
    return { name, offset, dOut, dIn, r: dOut * dIn, whole: true as const };
  };
  const layout: AdapterLayout = {
    modules: [module('norm', 0, 2, 1), module('a', 2, 2, 3), module('b', 8, 2, 2)],
    total: 12,
  };
  const s = Math.SQRT1_2;
  const factors = new Map([
    // U is the identity, and Vh picks the first two columns.
    ['a', { U: Float64Array.of(1, 0, 0, 1), S: Float64Array.of(2, 1), Vh: Float64Array.of(1, 0, 0, 0, 1, 0) }],
    ['b', { U: Float64Array.of(s, s, s, -s), S: Float64Array.of(2, 1), Vh: Float64Array.of(1, 0, 0, 1) }],
  ]);

  it('are diag(Uᵀ δW V) of the Linears only', () => {
    const adapterParams = Float32Array.of(9, 9, 1, 2, 3, 4, 5, 6, 1, 3, 5, 7);
    const { coordinates, squared, along } = singularCoordinates(layout, adapterParams, factors);
    // The first two are a's diagonal, the others are b's (1 + 5) / √2 and (3 − 7) / √2.
    const expected = [1, 5, 6 * s, -4 * s];
    for (const [i, value] of expected.entries()) expect(coordinates[i]).toBeCloseTo(value, 5);
    expect(squared).toBe(1 + 4 + 9 + 16 + 25 + 36 + 1 + 9 + 25 + 49);
    expect(along).toBeCloseTo(1 + 25 + 18 + 8, 4);
  });
});

describe('the shared share', () => {
  it('is 1 for equal directions, 0 for orthogonal ones, and excludes the character’s own update', () => {
    const alike = [taught('none', 'figa', [1, 2, 0]), taught('none', 'nopo', [2, 4, 0])];
    expect(sharedShares(alike, 'none').map(({ share }) => share)).toEqual([expect.closeTo(1, 6), expect.closeTo(1, 6)]);
    const apart = [taught('sdf', 'figa', [1, 0, 0]), taught('sdf', 'nopo', [0, 3, 0]), ...alike];
    expect(sharedShares(apart, 'sdf')[0].share).toBeCloseTo(0, 9);
    // The others' direction is nopo's (1, 2, 0) / √5; figa's own is excluded.
    expect(sharedShares(apart, 'none')[0].share).toBeCloseTo(0.2, 6);
    expect(sharedShares([alike[0]], 'none')[0]).toMatchObject({ share: null });
  });

  it('is between 0 and 1 where two characters have one direction each and a third has both', () => {
    const three = [taught('none', 'a', [1, 0]), taught('none', 'b', [0, 1]), taught('none', 'c', [1, 1])];
    const [a, , c] = sharedShares(three, 'none');
    expect(c.share).toBeCloseTo(1, 6);
    // The sum of the others is (0, 1) + (1, 1)/√2 = (0.707, 1.707).
    expect(a.share).toBeCloseTo(0.5 / (0.5 + (1 + Math.SQRT1_2) ** 2), 6);
  });

  it('is refused for damaged coordinates, and for models of different shapes', () => {
    for (const coordinates of ['', 'AAA', '!!!!', 'AADAfw'])
      expect(() => unpackUpdate({ ...updateOf([1]), coordinates }), coordinates).toThrow(FormatError);
    expect(() => sharedShares([taught('none', 'a', [1]), taught('none', 'b', [1, 2])], 'none')).toThrow(FormatError);
  });
});
