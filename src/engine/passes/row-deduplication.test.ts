// The equal rows of a packed batch, by hand.
import { expect, it } from 'vitest';
import { pack } from './packing.ts';
import { duplicateRows } from './row-deduplication.ts';

it('a row is another where all tokens up to it are the same, and the prompt is as long', () => {
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
    // [7 8] [9 2]  [7] [8 9]  [9 1]: behind a shorter prompt 8 is another row, since its keys are in two other parts.
    ...[0, 1, 2, 6, 0, 7, 8, 9, 10],
  ]);
  expect([...firstOf]).toEqual([0, 1, 2, 3, 4, 8, 12, 14, 15, 16, 17]);
});
