// Tests shared beginnings of prompts worked out by hand: which are shared, which are not, and which only look alike.
import { expect, it } from 'vitest';
import { sharedPrefixes } from './prefixes.ts';

it('a beginning that several prompts share is one row; what follows a difference is apart', () => {
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

it('no prompt, no row', () => {
  expect(sharedPrefixes([])).toEqual({ rows: [], rowOf: [] });
});
