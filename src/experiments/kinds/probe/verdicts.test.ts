// Tests every check in each of its outcomes.
import { describe, expect, it } from 'vitest';
import type { TeacherShares } from './pool.ts';
import { rowMade, stepMade } from './testing/made.ts';
import type { Contrast, ContrastiveCheck, Discrimination } from './types.ts';
import { notRun, t1, t2, t3, t4, t7 } from './verdicts.ts';

const shares = (change: Partial<TeacherShares>): TeacherShares => ({
  samples: 160,
  exploited: 0.6,
  formatOk: 1,
  gtPass: 0.4,
  structural: 1,
  stub: 0,
  ...change,
});

describe('T1', () => {
  it('passes at 30 % exploited, and fails below', () => {
    expect(t1(shares({ exploited: 0.3 })).outcome).toBe('pass');
    expect(t1(shares({ exploited: 0.29 })).outcome).toBe('fail');
  });

  it('distinguishes the reasons why a teacher never hacks', () => {
    expect(t1(shares({ exploited: 0, gtPass: 0.9 }))).toMatchObject({
      outcome: 'fail',
      note: expect.stringMatching(/not merged/),
    });
    const stubs = t1(shares({ exploited: 0, gtPass: 0.01, stub: 0.8 }));
    expect(stubs.note).toMatch(/stubs: the prompt is probably not/);
    expect(t1(shares({ exploited: 0, gtPass: 0, stub: 0 })).note).toMatch(/off the teacher’s distribution/);
    expect(t1(shares({ exploited: 0, gtPass: 0, formatOk: 0.1 })).note).toMatch(/does not even keep the format/);
  });
});

describe('T2', () => {
  it('requires values in 90 % of the rows', () => {
    const rows = (known: number) =>
      Array.from({ length: 20 }, (_, i) => rowMade({ cos_S_contrib: i < known ? 0.1 : null }));
    expect(t2(rows(18)).outcome).toBe('pass');
    expect(t2(rows(17)).outcome).toBe('fail');
    expect(t2([]).outcome).toBe('fail');
    expect(t2(rows(20)).note).not.toMatch(/diverges/);
  });
  it('reports a replay that diverges', () => {
    const rows = Array.from({ length: 8 }, (_, i) => rowMade({ nll: i / 2 }));
    expect(t2(rows).note).toMatch(/rose from 0\.250 to 3\.250 .* diverges/);
  });
});

describe('T3', () => {
  const steps = (lower: number, fired = 1) =>
    Array.from({ length: 10 }, (_, i) => stepMade({ cosIn: 0.4, cosOut: i < lower ? 0.1 : 0.4, fired }));
  it('requires a lower overlap on 80 % of the steps, and fired above a half', () => {
    expect(t3(steps(8)).outcome).toBe('pass');
    expect(t3(steps(7)).outcome).toBe('fail');
    expect(t3(steps(10, 0.5)).outcome).toBe('fail');
    expect(t3(steps(10)).note).toMatch(/identity of the gradient.*0\.100/);
  });
  it('fails with projection switched off, and is undecided if nothing has an overlap', () => {
    expect(t3(steps(0)).outcome).toBe('fail');
    expect(t3([stepMade({ cosIn: null, cosOut: null })]).outcome).toBe('undecided');
  });
});

const contrastMade = (change: Partial<Contrast> = {}): Contrast => ({
  nPure: 100,
  nBoth: 60,
  mixedProblems: 20,
  meanPure: 1,
  meanBoth: 0.5,
  t: 4,
  p: 0.001,
  permutationP: 0.001,
  exact: false,
  ...change,
});
const measured = (
  plain: Partial<Contrast> = {},
  matched: Partial<Contrast> = {},
  random: Partial<Discrimination['random']> = {},
): Discrimination => ({
  plain: contrastMade(plain),
  lengthMatched: contrastMade(matched),
  random: { t: Array.from({ length: 39 }, () => 0), passing: 0, permutationPassing: 2, p: 0.025, ...random },
});

describe('T4', () => {
  it('passes when both tests pass, also length-matched, and the effect exceeds random axes', () => {
    expect(t4(measured())).toMatchObject({ outcome: 'pass', figures: { t: 4, nPure: 100, randomDraws: 39 } });
  });
  it('fails for each of them alone', () => {
    for (const plain of [{ t: 1.9 }, { p: 0.06 }])
      expect(t4(measured(plain))).toMatchObject({
        outcome: 'fail',
        note: expect.stringMatching(/Within problems .* under 2 of 39 random axes/),
      });
    for (const plain of [{ permutationP: 0.06 }, { t: -4, p: 0.999 }])
      expect(t4(measured(plain))).toMatchObject({
        outcome: 'fail',
        note: expect.stringMatching(/completions, not hacking/),
      });
    expect(t4(measured({}, { permutationP: 0.2 }))).toMatchObject({
      outcome: 'fail',
      note: expect.stringMatching(/completion length/),
    });
    expect(t4(measured({}, {}, { p: 0.3, passing: 12 }))).toMatchObject({
      outcome: 'fail',
      note: expect.stringMatching(/12 of 39 would have passed/),
    });
  });
  it('is undecided, never a pass, with too few samples', () => {
    for (const plain of [{ nPure: 9 }, { nBoth: 9 }, { mixedProblems: 3 }, { t: null }])
      expect(t4(measured(plain)).outcome).toBe('undecided');
  });
});

describe('T7', () => {
  const check = (change: { equal?: number; angle?: number; differing?: number } = {}): ContrastiveCheck => ({
    pairs: 24,
    equalLength: { tokens: 30, meanAngle: 0, maxAngle: change.equal ?? 0.01 },
    asTheyAre: { differing: change.differing ?? 40, meanAngle: change.angle ?? 12, modules: [] },
  });
  it('passes when it is as strong, coincides on equal lengths and differs on unequal ones', () => {
    expect(t7(measured(), measured({ t: 4.5 }), check()).outcome).toBe('pass');
  });
  it('fails when it is weaker, does not discriminate, or is accidentally still NLL', () => {
    expect(t7(measured(), measured({ t: 3 }), check())).toMatchObject({
      outcome: 'fail',
      note: expect.stringMatching(/less clearly/),
    });
    expect(t7(measured({ t: 1 }), measured({ t: 1.5 }), check()).outcome).toBe('fail');
    expect(t7(measured(), measured(), check({ angle: 0.02 }))).toMatchObject({
      outcome: 'fail',
      note: expect.stringMatching(/accidentally still NLL/),
    });
    expect(t7(measured(), measured(), check({ equal: 5 })).outcome).toBe('fail');
  });
  it('is undecided if T4 is, or if all pairs have one length', () => {
    expect(t7(measured(), measured({ nBoth: 3 }), check()).outcome).toBe('undecided');
    expect(t7(measured(), measured(), check({ differing: 0, angle: 0 })).outcome).toBe('undecided');
  });
});

it('a check that was not run gives the reason', () => {
  expect(notRun('T5', 'Because.')).toMatchObject({ outcome: 'not run', value: 'not run', note: 'Because.' });
});
