// Tests a step's depths and flows, and their columns, against counts by hand.
import { expect, it } from 'vitest';
import { blocksOf, depthParts, flowOf, flowParts, someOf } from './training-flows.ts';

const rollout = (depth: number, quality: number, before: number | null = null) => ({
  verdict: { depth, quality, before },
});

it('counts the depths of a step’s rollouts, and what revisions changed', () => {
  const flow = flowOf(3, [
    rollout(0, 0.5),
    rollout(0, 1),
    rollout(1, 1, 0.5),
    rollout(1, 0.75, 0.5),
    rollout(5, 0.5, 0.5),
    rollout(2, 0, 0.5),
  ]);
  expect(flow).toEqual({ step: 3, depths: [2, 2, 1, 0, 0, 1], solved: 1, better: 1, same: 1, worse: 1 });
  expect(depthParts(flow!)).toEqual([2, 2, 1, 0, 1]);
  expect(flowOf(1, [{ verdict: { quality: 1 } }, { verdict: { depth: -1, quality: 1 } }])).toBeNull();
  expect(flowOf(1, [{ verdict: { depth: 1e9, quality: 1 } }])).toBeNull();
});

it('groups neighbouring steps into columns of shares', () => {
  const flows = [1, 2, 3].map((step) => ({ step, depths: [step], solved: step, better: 0, same: 1, worse: 0 }));
  expect(blocksOf(flows, 2, flowParts)).toEqual([
    { from: 1, to: 2, shares: [3 / 5, 0, 2 / 5, 0] },
    { from: 3, to: 3, shares: [3 / 4, 0, 1 / 4, 0] },
  ]);
  expect(blocksOf([{ ...flows[0], solved: 0, same: 0 }], 9, flowParts)[0].shares).toEqual([0, 0, 0, 0]);
  expect([someOf([1, 2, 3, 4, 5], 2), someOf([1, 2], 5)]).toEqual([
    [2, 5],
    [1, 2],
  ]);
});
