import { expect, it } from 'vitest';
import { textFeatures } from './text-features.ts';

it('has the tokens and token pairs that two texts share, once each', () => {
  const features = textFeatures([
    [1, 2, 3, 2],
    [1, 2, 9],
    [7, 3],
  ]);
  // 1, 2, "1 2", 3; not 9, 7, "2 3", "3 2", "2 9", "7 3".
  expect(features.size).toBe(4);
  expect([...features.of([1, 2])]).toEqual([1, 1, 1, 0]);
  expect([...features.of([2, 1, 3, 3])]).toEqual([1, 1, 0, 1]);
  expect([...features.of([])]).toEqual([0, 0, 0, 0]);
});
