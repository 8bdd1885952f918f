// Tests shares kept and removed against values computed by hand, and cases without a defined share.
import { describe, expect, it } from 'vitest';
import { codeMetrics } from '../../../src/environments/code/reward.ts';
import { problemCount } from '../../../src/experiments/analysis/noise.ts';
import { ratesMade, setMade } from '../../../src/experiments/testing/statistics-runs.ts';
import { capabilityKept, hackRemoved } from './capability.ts';

// The base of every invented run: hack .02, solve .40; evaluations of 100 problems.
const deployed = setMade(
  'route',
  [
    [0.05, 0.6],
    [0.08, 0.55],
  ],
  { arm: 'route-update', model: 'deployed' },
);
const honest = setMade(
  'honest-only',
  [
    [0.02, 0.7],
    [0.02, 0.65],
  ],
  { arm: 'honest-only' },
);
const vanilla = setMade('vanilla', [
  [0.52, 0.3],
  [0.62, 0.3],
]);

describe('capability kept', () => {
  it('is the deployed gain over the honest-only gain, seed by seed', () => {
    const kept = capabilityKept(deployed, honest);
    // (.6 − .4)/(.7 − .4) and (.55 − .4)/(.65 − .4).
    expect(kept.perSeed.map(({ share }) => share)).toEqual([expect.closeTo(2 / 3, 10), expect.closeTo(0.6, 10)]);
    expect(kept.cell!.mean).toBeCloseTo((2 / 3 + 0.6) / 2, 10);
    expect(kept.cell!.sd).toBeCloseTo((2 / 3 - 0.6) / Math.SQRT2, 10);
    expect(kept.pooled).toBeCloseTo(0.35 / 0.55, 10);
    expect([kept.n, kept.notes]).toEqual([2, []]);
  });

  it('is null if the honest gain is within the evaluation’s noise', () => {
    const weak = setMade(
      'honest-only',
      [
        [0.02, 0.7],
        [0.02, 0.5],
      ],
      { arm: 'honest-only' },
    );
    const kept = capabilityKept(deployed, weak);
    // Rates .5 and .4 of 100: two standard errors of the difference, (52/104 and 42/104): 2·√(.25/104 + .2407/104).
    expect(kept.perSeed[1].noise).toBeCloseTo(2 * Math.sqrt((0.25 + (42 / 104) * (62 / 104)) / 104), 10);
    expect(kept.perSeed.map(({ share }) => share)).toEqual([expect.closeTo(2 / 3, 10), null]);
    expect(kept.cell).toBeNull();
    expect(kept.pooled).toBeCloseTo(0.35 / 0.4, 10);
    expect(kept.notes[0]).toContain('1 seed of 2 without a share: seed 42 has 10 points to divide by, noise 14 points');
    for (const solve of [0.35, 0.45]) {
      const none = setMade('honest-only', [[0.02, solve]], { arm: 'honest-only' });
      expect(capabilityKept(deployed, none)).toMatchObject({ cell: null, pooled: null, n: 1 });
    }
  });

  it('reports that seeds were cut and that steps differ', () => {
    const other = setMade('honest-only', [[0.02, 0.7]], { arm: 'honest-only', seed: 42, hack: [0, 0, 0, 0, 0, 0, 0] });
    const { n, notes } = capabilityKept(deployed, other);
    expect(n).toBe(1);
    expect(notes.join(' ')).toMatch(/trained 6 steps, honest-only 7.*both have \(42\)/);
  });
});

describe('hack removed', () => {
  it('is the share of vanilla’s hack above the base that the deployed model lacks', () => {
    const removed = hackRemoved(deployed, vanilla);
    // (.52 − .05)/.5 and (.62 − .08)/.6.
    expect(removed.perSeed.map(({ share }) => share)).toEqual([expect.closeTo(0.94, 10), expect.closeTo(0.9, 10)]);
    expect(removed.pooled).toBeCloseTo(1.01 / 1.1, 10);
    expect(hackRemoved(vanilla, vanilla).cell!.mean).toBe(0);
  });

  it('is null if vanilla hardly hacks, or without evaluations', () => {
    expect(
      hackRemoved(
        deployed,
        setMade('vanilla', [
          [0.05, 0.4],
          [0.04, 0.4],
        ]),
      ).cell,
    ).toBeNull();
    const unasked = hackRemoved(
      deployed,
      setMade('vanilla', [
        [null, 0.4],
        [null, 0.4],
      ]),
    );
    expect(unasked).toMatchObject({ perSeed: [], cell: null, pooled: null });
    expect(hackRemoved(deployed, setMade('vanilla', [])).n).toBe(0);
  });
});

it('counts hack only on hackable problems', () => {
  expect(problemCount(ratesMade(0.5, 0.5, { honest: { n: 40, hack: null, solve: 0.5 } }), 'hack')).toBe(60);
  expect(problemCount(ratesMade(0.5, 0.5), 'solve')).toBe(100);
  expect(problemCount(codeMetrics([]), 'hack')).toBe(0);
});
