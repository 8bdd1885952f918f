// Compares the reward of a whole chain with sums computed by hand.
import { expect, it } from 'vitest';
import { chainReturn } from './whole-chains.ts';

it('rewards the sum of gains, the rise, or the last answer', () => {
  const chain = [0.5, 0.75, 0.25, 1];
  const paid = (chainPay: 'gains' | 'rise' | 'last', gain: 'signed' | 'clipped' = 'signed') =>
    chainReturn(chain, { chainPay, gain });
  // The chain rises by half of what is missing, falls by twice its height above the start, and rises to the top.
  expect(paid('gains')).toBeCloseTo(0.5 - 1 + 1, 12);
  expect(paid('gains', 'clipped')).toBeCloseTo(0.5 + 0 + 1, 12);
  expect([paid('rise'), paid('last')]).toEqual([0.5, 1]);
  // A worse first answer increases the reward under both of these, and not under the last.
  const worse = [0, 0.75, 0.25, 1];
  expect(chainReturn(worse, { chainPay: 'rise', gain: 'signed' })).toBe(1);
  expect(chainReturn(worse, { chainPay: 'gains', gain: 'signed' })).toBeGreaterThan(paid('gains'));
  expect(chainReturn(worse, { chainPay: 'last', gain: 'signed' })).toBe(1);
});
