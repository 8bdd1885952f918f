import { expect, it } from 'vitest';
import { budgetOf, type Cost, roundBudgets, shareWithin } from './budget.ts';

const run = (success: boolean, calls: number, tokens: number | null = null): Cost => ({
  success,
  calls,
  tokens,
  seconds: 10 * calls,
});

it('rises at the cost of each passed run; failed runs count in the share, runs of unknown cost do not', () => {
  const runs = [run(true, 5, 50), run(true, 2), run(false, 1, 9), run(true, 5, 40)];
  const calls = budgetOf(runs, 'calls');
  expect(calls).toEqual({
    n: 4,
    rises: [
      { cost: 2, share: 0.25 },
      { cost: 5, share: 0.75 },
    ],
  });
  expect([1, 2, 4.9, 5, 1e9].map((most) => shareWithin(calls, most))).toEqual([0, 0.25, 0.25, 0.75, 0.75]);
  expect(budgetOf(runs, 'tokens')).toEqual({
    n: 3,
    rises: [
      { cost: 40, share: 1 / 3 },
      { cost: 50, share: 2 / 3 },
    ],
  });
  expect(budgetOf([], 'seconds')).toEqual({ n: 0, rises: [] });
});

it('round budgets cover the most expensive run', () => {
  expect(roundBudgets(9, 9)).toEqual([1, 2, 5, 10]);
  expect(roundBudgets(1801, 4)).toEqual([200, 500, 1000, 2000]);
  expect(roundBudgets(0, 3)).toEqual([1]);
});
