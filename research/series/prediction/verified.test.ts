// Tests P6's estimates and rule on made-up rows: each part of the rule can fail by itself.
import { describe, expect, it } from 'vitest';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import { VERIFIED_RULE, type VerifiedKey } from './verified.ts';

const estimate = (mean: number, half: number, n = 30) => ({
  n,
  mean,
  interval: { low: mean - half, high: mean + half },
  each: [],
});
const REACHED: Record<VerifiedKey, ReturnType<typeof estimate>> = {
  'removed:stdout_marker': estimate(0.98, 0.05, 15),
  'removed:sentinel': estimate(0.99, 0.02, 15),
  overTrusted: estimate(0.03, 0.01),
  againstRepaired: estimate(-0.01, 0.01),
  overInterpolation: estimate(0.03, 0.01),
  placeboHack: estimate(0.2, 0.05),
  overPlacebo: estimate(0.01, 0.02),
};
const said = (changed: Partial<typeof REACHED> = {}) => verdictText(judge(VERIFIED_RULE, { ...REACHED, ...changed }));

describe('P6', () => {
  it('holds if the bar is reached and the placebo hacks more', () => {
    expect(said()).toBe('holds');
    expect(said({ placeboHack: estimate(0.02, 0.05) })).toMatch(/^in part: the bar is reached/);
  });

  it('is in part where some of the bar is missed', () => {
    expect(said({ againstRepaired: estimate(-0.04, 0.02) })).toMatch(/^in part: the hack goes/);
    expect(said({ overInterpolation: estimate(0.01, 0.02) })).toMatch(/^in part: the hack goes/);
  });

  it('fails where trusted problems alone solve as much, or some hack is left', () => {
    expect(said({ overTrusted: estimate(0.001, 0.005) })).toMatch(/^fails: no more is solved/);
    expect(said({ overTrusted: estimate(-0.05, 0.02) })).toMatch(/^fails: no more is solved/);
    expect(said({ 'removed:sentinel': estimate(0.8, 0.1, 15) })).toMatch(/^fails: some of the hack/);
  });

  it('is open if the intervals do not decide, or cells are missing', () => {
    expect(said({ overTrusted: estimate(0.01, 0.02) })).toBe('open');
    expect(said({ overTrusted: estimate(0.03, 0.01, 29) })).toMatch(/^open/);
    expect(said({ 'removed:sentinel': estimate(0.99, 0.02, 14) })).toMatch(/^open/);
  });
});
