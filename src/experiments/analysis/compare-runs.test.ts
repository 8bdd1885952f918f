// Tests which comparisons are refused, in METHOD's words, and the contents of an allowed table, on made-up runs.
import { describe, expect, it } from 'vitest';
import type { ArmName } from '../config/arms.ts';
import type { Settings } from '../config/settings.ts';
import { parseExperimentSpec, resolveRun } from '../config/spec.ts';
import type { EvalRow, RunRecord, StepRow } from '../records/events.ts';
import type { Rates } from '../records/metrics.ts';
import { type ComparedGroup, compareGroups, groupsOf } from './compare-runs.ts';

const rates = (hack: number, solve: number): Rates => ({ n: 10, figures: { hack, solve, structural: 0 } });
const evaluation = (model: string, step: number, hack: number, solve: number): EvalRow => ({
  step,
  model,
  kind: 'final',
  all: rates(hack, solve),
  splits: {},
});

interface Made {
  arm: ArmName;
  seeds?: number[];
  /** Hack of the trained model per seed; the deployed one has a tenth of it. */
  hack?: number[];
  overrides?: Partial<Settings>;
  logged?: number;
  change?: Partial<RunRecord>;
}

function make(experimentId: string, { arm, seeds = [41], hack = [0.5], overrides = {}, logged, change }: Made) {
  const spec = parseExperimentSpec({ preset: 'smoke', arms: [arm], seeds, overrides: { steps: 6, ...overrides } });
  const runs = seeds.map((seed, i): RunRecord => {
    const run = resolveRun(spec, arm, seed);
    const steps = logged ?? run.steps;
    return {
      schema: 1,
      id: `${experimentId}/${arm}/${seed}`,
      experimentId,
      spec: run,
      status: steps === run.steps ? 'done' : 'stopped',
      createdAt: 0,
      device: 'CPU',
      appVersion: '1',
      modelSha256: 'm',
      graderVersion: 'g',
      rows: Array.from({ length: steps }, (_, s) => ({ step: s + 1, student: rates(s / 10, 0.4) }) as StepRow),
      timings: [],
      evals:
        steps === run.steps
          ? [
              evaluation('base', 0, 0.02, 0.4),
              evaluation('total', run.steps, hack[i], 0.3),
              evaluation('deployed', run.steps, hack[i] / 10, 0.45),
            ]
          : [],
      error: null,
      ...change,
    };
  });
  return groupsOf(experimentId, experimentId, spec, runs);
}
const one = (id: string, made: Made): ComparedGroup => make(id, made)[0];
const refusalsOf = (a: ComparedGroup, b: ComparedGroup) => {
  const comparison = compareGroups(a, b);
  return comparison.allowed ? [] : comparison.refusals;
};
const rulesOf = (a: ComparedGroup, b: ComparedGroup) => refusalsOf(a, b).map(({ rule }) => rule);

describe('the rules of comparison', () => {
  it('refuse an incomplete run, and say how far it came', () => {
    const refusals = refusalsOf(one('a', { arm: 'none' }), one('b', { arm: 'erase', logged: 4 }));
    expect(refusals.map(({ rule }) => rule)).toEqual(['incomplete']);
    expect(refusals[0].message).toContain('seed 41 logged 4 of 6 steps');
  });

  it('refuse a seed that never began', () => {
    const [group] = make('a', { arm: 'none', seeds: [41, 42], hack: [0.5, 0.5] });
    const cut = { ...group, runs: group.runs.slice(0, 1) };
    const other = one('b', { arm: 'erase', seeds: [41, 42], hack: [0.1, 0.1] });
    expect(refusalsOf(cut, other)[0].message).toContain('seed 42 has not begun');
  });

  it('refuse a single seed beside a mean', () => {
    const three = one('b', { arm: 'erase', seeds: [41, 42, 43], hack: [0.1, 0.2, 0.3] });
    expect(rulesOf(one('a', { arm: 'none' }), three)).toEqual(['single']);
    expect(rulesOf(three, one('a', { arm: 'none' }))).toEqual(['single']);
  });

  it('refuse unequal sets of seeds, and name those in common', () => {
    const a = one('a', { arm: 'none', seeds: [41, 42], hack: [0.5, 0.6] });
    const b = one('b', { arm: 'erase', seeds: [42, 43], hack: [0.1, 0.2] });
    const [refusal, ...more] = refusalsOf(a, b);
    expect(more).toEqual([]);
    expect(refusal).toMatchObject({ rule: 'seeds', remedy: expect.stringContaining('both have 42') });
    // The order of seeds does not matter.
    const c = one('c', { arm: 'erase', seeds: [42, 41], hack: [0.2, 0.1] });
    expect(compareGroups(a, c).allowed).toBe(true);
  });

  it('refuse more than one difference, and name each', () => {
    const a = one('a', { arm: 'erase' });
    const b = one('b', { arm: 'erase', overrides: { k: 8, lr: 0.01 } });
    const [refusal] = refusalsOf(a, b);
    expect(refusal.rule).toBe('confound');
    expect(refusal.message).toContain('(5 → 8)');
    expect(refusal.message).toContain('(0.03 → 0.01)');
    expect(compareGroups(a, one('c', { arm: 'erase', overrides: { k: 8 } })).allowed).toBe(true);
  });

  it('count projection and target as two differences, but not against vanilla', () => {
    const vanilla = one('a', { arm: 'none' });
    const [, deployed] = make('b', { arm: 'route-update' });
    expect(compareGroups(vanilla, deployed)).toMatchObject({
      allowed: true,
      differences: ['projection (none → route, deployed)'],
    });
    expect(compareGroups(vanilla, one('c', { arm: 'erase' })).allowed).toBe(true);
    expect(rulesOf(one('c', { arm: 'erase' }), deployed)).toEqual(['confound']);
    expect(compareGroups(one('d', { arm: 'erase-update' }), deployed).allowed).toBe(true);
    // no_teacher changes the mix; with a projection as well there are two differences.
    expect(compareGroups(vanilla, one('e', { arm: 'no_teacher' })).allowed).toBe(true);
    expect(rulesOf(vanilla, make('f', { arm: 'no_teacher-route' })[1])).toEqual(['confound']);
  });

  it('treat route/update’s trained model as vanilla, for which the basis makes no difference', () => {
    const [training] = make('b', { arm: 'route-update', overrides: { k: 8, pairs: 20 } });
    const comparison = compareGroups(one('a', { arm: 'none' }), training);
    expect(comparison).toMatchObject({ allowed: true, differences: [] });
  });

  it('count a baseline as one difference for any settings', () => {
    const [plain, penalised] = [one('a', { arm: 'none' }), one('b', { arm: 'penalty' })];
    expect(compareGroups(plain, penalised)).toMatchObject({
      allowed: true,
      differences: ['baseline (none → reward penalty 2, monitor accuracy 0.9)'],
    });
    expect(rulesOf(one('c', { arm: 'erase' }), penalised)).toEqual(['confound']);
  });

  it('count another grader or other weights as differences, and only note another device', () => {
    const a = one('a', { arm: 'none' });
    const elsewhere = one('b', { arm: 'erase', change: { device: 'GPU' } });
    expect(compareGroups(a, elsewhere)).toMatchObject({
      allowed: true,
      notes: [expect.stringContaining('CPU; GPU'), expect.anything()],
    });
    expect(rulesOf(a, one('c', { arm: 'erase', change: { graderVersion: 'h' } }))).toEqual(['confound']);
    expect(rulesOf(a, one('d', { arm: 'erase', change: { modelSha256: 'n' } }))).toEqual(['confound']);
  });

  it('refuse a group against itself', () => {
    const a = one('a', { arm: 'none' });
    expect(rulesOf(a, a)).toEqual(['same']);
  });
});

describe('the paired table', () => {
  const seeds = [41, 42, 43];
  const vanilla = one('a', { arm: 'none', seeds, hack: [0.5, 0.6, 0.7] });
  const erase = one('b', { arm: 'erase', seeds, hack: [0.1, 0.2, 0.6] });

  it('is paired by seed, with n, mean ± sd, Δ and an interval', () => {
    const comparison = compareGroups(vanilla, erase);
    if (!comparison.allowed) throw new Error('refused');
    expect(comparison.n).toBe(3);
    const row = comparison.rows.find(({ id }) => id === 'final-hack')!;
    expect(row.reference!.mean).toBeCloseTo(0.6, 12);
    expect(row.reference!.sd).toBeCloseTo(0.1, 12);
    expect(row.other!.mean).toBeCloseTo(0.3, 12);
    expect(row.pairs).toEqual(
      seeds.map((seed, i) => ({ seed, reference: [0.5, 0.6, 0.7][i], other: [0.1, 0.2, 0.6][i] })),
    );
    expect(row.delta!.mean).toBeCloseTo(-0.3, 12);
    expect(row.delta!.sd).toBeCloseTo(Math.sqrt(0.03), 12);
    // Of 27 equally likely bootstrap means of (−0.4, −0.4, −0.1), 8 are −0.4 and 1 is −0.1: each more than 2.5%.
    expect(row.delta!.interval!.low).toBeCloseTo(-0.4, 12);
    expect(row.delta!.interval!.high).toBeCloseTo(-0.1, 12);
    expect(row.isNull).toBe(false);
  });

  it('has the last five steps and the whole run', () => {
    const comparison = compareGroups(vanilla, erase);
    if (!comparison.allowed) throw new Error('refused');
    const mean = (id: string) => comparison.rows.find((row) => row.id === id)!.reference!.mean;
    // Hack at the six steps is 0, 0.1, 0.2, 0.3, 0.4, 0.5.
    expect(mean('last5-hack')).toBeCloseTo(0.3, 12);
    expect(mean('whole-hack')).toBeCloseTo(0.25, 12);
  });

  it('calls a difference within the reference’s sd null', () => {
    const near = one('c', { arm: 'erase', seeds, hack: [0.45, 0.55, 0.65] });
    const comparison = compareGroups(vanilla, near);
    if (!comparison.allowed) throw new Error('refused');
    expect(comparison.rows.find(({ id }) => id === 'final-hack')!.isNull).toBe(true);
  });

  it('calls a difference within its own standard error null, however equal the reference’s seeds are', () => {
    const steady = one('c', { arm: 'none', seeds, hack: [0.5, 0.5, 0.5] });
    const wild = one('d', { arm: 'erase', seeds, hack: [0.1, 0.9, 0.4] });
    const comparison = compareGroups(steady, wild);
    if (!comparison.allowed) throw new Error('refused');
    // Δ = (−0.4, 0.4, −0.1): mean −0.033, standard error 0.233.
    expect(comparison.rows.find(({ id }) => id === 'final-hack')!.isNull).toBe(true);
  });

  it('has no interval and no verdict at n = 2, and says so', () => {
    const [a, b] = [
      one('a', { arm: 'none', seeds: [41, 42], hack: [0.5, 0.6] }),
      one('b', { arm: 'erase', seeds: [41, 42], hack: [0.1, 0.2] }),
    ];
    const comparison = compareGroups(a, b);
    if (!comparison.allowed) throw new Error('refused');
    const row = comparison.rows.find(({ id }) => id === 'final-hack')!;
    // Both differences are −0.4, so that a bootstrap has a single value.
    expect(row.delta).toMatchObject({ n: 2, interval: null });
    expect(row.delta!.mean).toBeCloseTo(-0.4, 12);
    expect(row.isNull).toBeNull();
    expect(comparison.notes).toContainEqual(expect.stringMatching(/^Two seeds: too few for an interval/));
  });

  it('has no sd, no interval and no verdict at n = 1, and no training metrics of a deployed model', () => {
    const [, deployed] = make('d', { arm: 'route-update' });
    const comparison = compareGroups(one('a', { arm: 'none' }), deployed);
    if (!comparison.allowed) throw new Error('refused');
    const row = comparison.rows.find(({ id }) => id === 'final-hack')!;
    expect(row.delta).toMatchObject({ n: 1, sd: null, interval: null });
    expect(row.delta!.mean).toBeCloseTo(-0.45, 12);
    expect(row.reference!.sd).toBeNull();
    expect(row.isNull).toBeNull();
    expect(comparison.rows.find(({ id }) => id === 'last5-hack')).toMatchObject({ other: null, delta: null });
  });
});
