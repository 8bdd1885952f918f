// Tests curves and flows of chains against values computed by hand.
import { expect, it } from 'vitest';
import { bestAt, chainMetricsOf, flowsOf, lastAt, majorityAt, solvedAt } from './metrics.ts';

const row = (quality: number[], answers = quality.map(String)) => ({ id: 'x', answers, quality, tokens: [] });

it('distinguishes the last answer from the best so far', () => {
  const rows = [row([0.5, 1, 0.25]), row([0.5, 0.5, 0.75])];
  expect([0, 1, 2].map((k) => lastAt(rows, k))).toEqual([0.5, 0.75, 0.5]);
  expect([0, 1, 2].map((k) => bestAt(rows, k))).toEqual([0.5, 0.75, 0.875]);
  expect([0, 1, 2].map((k) => solvedAt(rows, k))).toEqual([0, 0.5, 0]);
});

it('counts fixed and broken answers, as shares of those that could be', () => {
  const flows = flowsOf([row([0.5, 1, 0.25]), row([0.5, 0.5, 1]), row([1, 1, 1]), row([0, 0.25, 0])]);
  expect(flows).toEqual({
    fixed: [1 / 4, 1 / 4],
    broken: [0, 1 / 4],
    up: [2 / 4, 1 / 4],
    down: [0, 2 / 4],
    // Of four chains, 3 and then 2 are unsolved before a step; 1 and then 2 are solved.
    fixRate: 2 / 5,
    breakRate: 1 / 3,
  });
});

it('selects the most frequent answer, and the first of equally frequent ones', () => {
  const rows = [row([0.2, 0.9, 0.9], ['a', 'b', 'b']), row([0.2, 0.9], ['a', 'b'])];
  expect([majorityAt(rows.slice(0, 1), 0), majorityAt(rows.slice(0, 1), 2), majorityAt(rows.slice(1), 1)]).toEqual([
    0.2, 0.9, 0.2,
  ]);
});

it('names its values like the environment’s metrics', () => {
  const quality = Array.from({ length: 17 }, (_, k) => k / 16);
  expect(chainMetricsOf([row(quality)])).toEqual({
    q1: 1 / 16,
    q2: 2 / 16,
    q4: 4 / 16,
    q8: 8 / 16,
    q16: 1,
    fixRate: 1 / 16,
    breakRate: null,
  });
});
