// Tests shared prompt prefixes on cases worked out by hand: shared, different, and equal only in part.
import { expect, it } from 'vitest';
import { sharedPrefixes } from './prefixes.ts';

it('a shared prefix has one set of rows; rows after a difference are separate', () => {
  const { rows, rowOf } = sharedPrefixes([
    [7, 8, 9],
    [7, 8, 5, 9],
    [7, 8],
    [8, 9],
    [7, 8, 5, 9],
  ]);
  expect(rowOf).toEqual([
    [0, 1, 2],
    [0, 1, 3, 4],
    [0, 1],
    [5, 6],
    [0, 1, 3, 4],
  ]);
  expect(rows).toEqual([
    { of: 0, index: 0 },
    { of: 0, index: 1 },
    { of: 0, index: 2 },
    { of: 1, index: 2 },
    { of: 1, index: 3 },
    { of: 3, index: 0 },
    { of: 3, index: 1 },
  ]);
});

it('no prompts give no rows', () => {
  expect(sharedPrefixes([])).toEqual({ rows: [], rowOf: [] });
});
