// Tests the equal rows of a packed batch on a case worked out by hand.
import { expect, it } from 'vitest';
import { pack } from './packing.ts';
import { duplicateRows } from './row-deduplication.ts';

it('rows are equal if all tokens up to them are equal and the prompts are equally long', () => {
  const packed = pack(
    [
      { prompt: [7, 8, 9], completion: [1, 2, 3], segment: 0 },
      { prompt: [7, 8, 9], completion: [1, 2, 4, 5], segment: 0 },
      { prompt: [7, 8, 9], completion: [2, 2], segment: 1 },
      { prompt: [7, 8], completion: [9, 1], segment: 1 },
      { prompt: [9], completion: [1, 2], segment: 1 },
    ],
    2,
    16,
  );
  const { firstOf, rowOf } = duplicateRows(packed);
  //                      [7 8] [9 1 2]  [9 1 2 4]
  expect([...rowOf]).toEqual([
    ...[0, 1, 2, 3, 4, 2, 3, 4, 5],
    // [7 8] [9 2]  [7] [8 9]  [9 1]: after a shorter prompt, 8 is a different row, since its keys are split differently.
    ...[0, 1, 2, 6, 0, 7, 8, 9, 10],
  ]);
  expect([...firstOf]).toEqual([0, 1, 2, 3, 4, 8, 12, 14, 15, 16, 17]);
});
