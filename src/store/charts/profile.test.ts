import { describe, expect, it } from 'vitest';
import { profilesOf } from '../../experiments/environments/registry.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { profileCsv, profileLines } from './profile.ts';

const [profile] = profilesOf('chain');
const row = (step: number, model: string, quality: number, kind = 'during') => ({
  step,
  kind,
  model,
  all: { n: 1, figures: { quality, q1: quality + 0.1, q16: quality + 0.2 } },
});
const run = (arm: string, seed: number, evals: unknown[]) =>
  ({ spec: { arm, seed, environment: 'chain', projection: 'none' }, rows: [], evals }) as unknown as RunRecord;

describe('a profile of evaluations', () => {
  it('has the base once, and for each arm the latest evaluation as the mean over its seeds', () => {
    const base = row(0, 'total', 0.5);
    const lines = profileLines(
      [
        run('none', 41, [base, row(10, 'total', 0.1), row(20, 'total', 0.6)]),
        run('none', 42, [base, row(10, 'total', 0.8)]),
        run('none', 43, [base, row(20, 'total', 0.7)]),
        run('exit', 41, [base, row(20, 'total', 0.7), row(0, 'base', 0.4, 'final'), row(20, 'total', 0.9, 'final')]),
      ],
      profile,
    );
    expect(profile.points.map(({ metric }) => metric)).toEqual(['quality', 'q1', 'q2', 'q4', 'q8', 'q16']);
    expect(lines.map(({ id, n, step }) => [id, n, step])).toEqual([
      ['base', 1, 0],
      ['none', 3, 10],
      ['exit', 1, 20],
    ]);
    const [first, vanilla, exit] = lines;
    expect(first.values[0].mean).toBe(0.4);
    // The factor is Student's t (97.5%, two degrees of freedom); the sample sd of .6, .8 and .7 is .1.
    const half = (4.302652729911275 * 0.1) / Math.sqrt(3) / (0.7 * 0.3);
    const [low, high] = [-1, 1].map((side) => 1 / (1 + Math.exp(-(Math.log(0.7 / 0.3) + side * half))));
    const interval = { low: expect.closeTo(low, 9), high: expect.closeTo(high, 9) };
    expect(vanilla.values[0]).toEqual({ mean: expect.closeTo(0.7, 12), interval });
    expect(vanilla.values[5].mean).toBeCloseTo(0.9, 12);
    // A metric that is missing from an evaluation is a gap, not a zero.
    expect(vanilla.values[2]).toEqual({ mean: null, interval: null });
    expect(exit.values[0]).toEqual({ mean: 0.9, interval: null });
    expect(profileCsv(profile, [exit]).split('\r\n').slice(0, 2)).toEqual([
      '"revisions, K",line,step,seeds,mean,low,high',
      '0,ExIt,20,1,0.9,,',
    ]);
  });

  it('is empty before the first evaluation, and for runs without its metrics', () => {
    expect(profileLines([run('none', 41, [])], profile)).toEqual([]);
    const other = { step: 5, kind: 'final', model: 'total', all: { n: 1, figures: { quality: 0.5 } } };
    expect(profileLines([run('none', 41, [other])], profile)).toEqual([]);
  });
});
