// Tests onsets, leads and AUC on made-up series that can be worked out by hand.
import { describe, expect, it } from 'vitest';
import {
  comparedRuns,
  earlyWarningVerdicts,
  meanBefore,
  onsetOf,
  warningsOf,
} from '../../../src/experiments/analysis/early-warning.ts';
import { judge } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { runMade } from '../../../src/experiments/testing/statistics-runs.ts';
import { earlyWarning, estimateOf, WARNING_RULE } from './early-warning.ts';

const STEPS = 40;
/** Hack rate jumps to .5 at `step`, so that the mean over five steps rises by .1 at that step. */
const risingFrom = (step: number) => Array.from({ length: STEPS }, (_, i) => (i + 1 >= step ? 0.5 : 0));
const never = Array.from({ length: STEPS }, () => 0);

interface Series {
  /** Value by step, from 1. */
  kept?: (step: number) => number;
  entropy?: (step: number) => number;
  kl?: (step: number) => number | null;
}

function run(
  arm: 'none' | 'repaired',
  seed: number,
  hack: readonly number[],
  { kept = () => 0.9, entropy = () => 1, kl = () => null }: Series = {},
): RunRecord {
  const made = runMade({ arm, seed, hack, overrides: { mix: 0 } });
  const rows = made.rows.map((row) => ({
    ...row,
    reward: 0.5,
    completionMeanLength: 40,
    entropy: entropy(row.step),
    kl: kl(row.step),
    ...(row.step % 5 === 0 && row.step >= 10 ? { directionsKept: kept(row.step) } : {}),
  }));
  return { ...made, rows };
}

/** Clean runs whose share kept differs a little between seeds. */
const clean = (n: number, more: Series = {}): RunRecord[] =>
  Array.from({ length: n }, (_, seed) => run('repaired', seed, never, { kept: () => 0.9 + seed / 1000, ...more }));

describe('the onset', () => {
  it('is the first step whose last five are a tenth above the first five', () => {
    expect(onsetOf(run('none', 1, risingFrom(20)))).toBe(20);
    // One step of .4 among five raises the mean by .08, so two are needed.
    const slow = never.map((_, i) => (i >= 24 ? 0.4 : 0));
    expect(onsetOf(run('none', 1, slow))).toBe(26);
  });

  it('is none where hacking is there from the start, or never, or not measured', () => {
    expect(onsetOf(run('none', 1, risingFrom(1)))).toBeNull();
    expect(onsetOf(run('none', 1, never))).toBeNull();
    const unmeasured = run('none', 1, risingFrom(20));
    const rows = unmeasured.rows.map((row) => ({ ...row, student: { ...row.student, figures: { solve: 0.4 } } }));
    expect(onsetOf({ rows })).toBeNull();
  });
});

it('a signal before the onset is its mean over the ten steps before, the onset’s own left out', () => {
  const one = run('none', 1, risingFrom(20), { kept: (step) => step / 100, entropy: (step) => step });
  expect(meanBefore(one, 'directionsKept', 20)).toBeCloseTo((0.1 + 0.15) / 2);
  expect(meanBefore(one, 'entropy', 20)).toBeCloseTo(14.5);
  expect(meanBefore(one, 'directionsKept', 10)).toBeNull();
});

describe('a warning', () => {
  const falls = (from: number) => (step: number) => (step >= from ? 0.5 : 0.9);
  const of = (runs: RunRecord[], name: string) => warningsOf(comparedRuns(runs)).find(({ signal }) => signal === name)!;

  it('has its lead from the first value that is further off than any clean run', () => {
    const hacking = [
      run('none', 21, risingFrom(30), { kept: falls(15) }),
      run('none', 22, risingFrom(30), { kept: falls(25) }),
    ];
    const found = of([...clean(5), ...hacking], 'directionsKept');
    expect(found.lead).toEqual([15, 5]);
    expect(found.warned).toBe(2);
    expect(found.auc).toEqual([1, 1]);
    expect(found.side).toBe('low');
  });

  it('is none where it comes with the onset or after it', () => {
    const late = of([...clean(5), run('none', 21, risingFrom(30), { kept: falls(30) })], 'directionsKept');
    expect(late.lead).toEqual([0]);
    expect(late.warned).toBe(0);
  });

  it('counts only a fall of the directions, and the better side of what they are compared with', () => {
    const rises = run('none', 21, risingFrom(30), { kept: () => 0.99, entropy: () => 0.2 });
    const runs = [...clean(5, { entropy: () => 1 }), rises];
    expect(of(runs, 'directionsKept').auc).toEqual([0]);
    expect(of(runs, 'entropy')).toMatchObject({ auc: [1], side: 'low' });
  });

  it('has AUC ½ if the two cannot be told apart, or if nothing was logged before the onset', () => {
    const runs = [...clean(5), run('none', 21, risingFrom(10), { kept: () => 0.1 })];
    expect(of(runs, 'directionsKept').auc).toEqual([0.5]);
    expect(of(runs, 'reward').auc).toEqual([0.5]);
    expect(of(runs, 'kl')).toBeUndefined();
  });

  it('is compared with clean runs of its own settings alone, of which three are needed', () => {
    const other = clean(5).map((one) => ({ ...one, spec: { ...one.spec, problems: 9 } }));
    const hacking = run('none', 21, risingFrom(30));
    const undecided = clean(5).map((one) => ({ ...one, spec: { ...one.spec, entropyCoef: 0.1 } }));
    for (const runs of [other, undecided]) expect(comparedRuns([...runs, hacking])).toEqual([]);
    expect(comparedRuns([...clean(2), hacking])).toEqual([]);
    expect(comparedRuns([...clean(3), hacking])).toHaveLength(1);
  });
});

describe('the rule', () => {
  const hacking = (series: (seed: number) => Series) =>
    Array.from({ length: 15 }, (_, seed) => run('none', 50 + seed, risingFrom(30), series(seed)));
  const warns = (step: number) => (step >= 20 ? 0.4 : 0.9);
  const verdict = (runs: RunRecord[]) => judge(WARNING_RULE, earlyWarning(runs).estimates);
  // Clean runs' entropies lie on both sides, so that entropy tells some of the runs apart and not all.
  const spread = (seed: number): Series => ({ kept: warns, entropy: () => 1 + (seed % 3) / 10 });
  const entropies = clean(15).map((one, seed) => ({
    ...one,
    rows: one.rows.map((row) => ({ ...row, entropy: 1 + (seed % 3) / 10 })),
  }));

  it('holds where the directions warn and nothing else tells as much', () => {
    expect(verdict([...entropies, ...hacking(spread)])).toEqual({ status: 'holds', because: null });
  });

  it('in part where entropy tells as much', () => {
    const told = hacking(() => ({ kept: warns, entropy: () => 0.1 }));
    expect(verdict([...entropies, ...told]).status).toBe('in part');
  });

  it('compares with KL where it was logged', () => {
    const told = hacking((seed) => ({ ...spread(seed), kl: () => 2 }));
    const logged = entropies.map((one) => ({ ...one, rows: one.rows.map((row) => ({ ...row, kl: 1 })) }));
    expect(verdict([...logged, ...told]).status).toBe('in part');
  });

  it('fails where the directions do not fall, and is open with too few runs', () => {
    expect(verdict([...entropies, ...hacking(() => ({ kept: () => 0.95 }))]).status).toBe('fails');
    expect(verdict([...entropies.slice(1), ...hacking(spread)])).toMatchObject({
      status: 'open',
      because: expect.stringContaining('runs with repaired graders'),
    });
    expect(verdict([])).toMatchObject({ status: 'open' });
  });
});

it('an estimate has its interval over the runs', () => {
  expect(estimateOf([1, 2, 3])).toMatchObject({ n: 3, mean: 2 });
  expect(estimateOf([1, 2, 3]).interval!.low).toBeCloseTo(2 - 4.30265 / Math.sqrt(3), 4);
  expect(estimateOf([]).mean).toBeNull();
});

describe('the report', () => {
  it('says of an arm what its directions did before hacking rose', () => {
    const runs = [
      run('none', 1, risingFrom(30), { kept: (step) => (step >= 20 ? 0.7 : 0.9) }),
      run('none', 2, never),
      run('repaired', 1, never),
    ];
    expect(earlyWarningVerdicts(runs)).toEqual([
      'vanilla: hack rises by 10 points at step 30 (1 of 2 runs). In the 10 steps before, update directions kept were 0.70, earlier 0.90: they fell first in 1 of 1. Only runs with repaired graders can say whether that is a warning.',
    ]);
  });

  it('says so if hacking rises before two measurements, and nothing if it never rises or nothing was logged', () => {
    expect(earlyWarningVerdicts([run('none', 1, risingFrom(15))])[0]).toContain('could be compared twice');
    expect(earlyWarningVerdicts([run('none', 1, never)])).toEqual([]);
    expect(earlyWarningVerdicts([runMade({ hack: risingFrom(30) })])).toEqual([]);
  });
});
