// Tests R5 and R6: the planned experiments, and the verdicts on made-up runs.
import { describe, expect, it } from 'vitest';
import { teacherRows } from '../../config/budgets.ts';
import { resolveRuns } from '../../config/spec.ts';
import { runMade } from '../../testing/statistics-runs.ts';
import { rowMade } from './testing/made.ts';
import { t5, t6, trajectoryOf, trajectorySpec } from './trajectory.ts';
import type { Trajectory } from './types.ts';
import { t2 } from './verdicts.ts';

const climbing = (to: number) => Array.from({ length: 16 }, (_, i) => Math.min(to, (i * to) / 10));
const trained = (vanilla: number, projected: number, change: Partial<Trajectory> = {}): Trajectory => ({
  ...(trajectoryOf([
    runMade({ arm: 'none', hack: climbing(vanilla) }),
    runMade({ arm: 'erase', hack: climbing(projected) }),
  ]) as Trajectory),
  flatGroups: 0,
  ...change,
});

it('plans vanilla and erase on mixed groups', () => {
  const runs = resolveRuns(trajectorySpec({ steps: 15, seed: 42 }));
  expect(runs.map(({ arm }) => arm)).toEqual(['none', 'erase']);
  for (const run of runs) {
    // With a single inner epoch there would be no ratios.
    expect(run).toMatchObject({ steps: 15, seed: 42, honestShare: 0, lossType: 'dr_grpo', innerEpochs: 2 });
    expect(teacherRows(run)).toBe(run.groupSize / 2);
  }
  const [other] = resolveRuns(trajectorySpec({ steps: 2, seed: 1, ratio: 0.25, overrides: { adapter: 'lora' } }));
  expect(other).toMatchObject({ mix: 0.25, adapter: 'lora' });
  const pool = { sha256: 'ab'.repeat(32), problems: 20 };
  const [own] = resolveRuns(trajectorySpec({ steps: 2, seed: 1, pool, overrides: { innerEpochs: 1, problems: 64 } }));
  expect(own).toMatchObject({ teacherPool: pool.sha256, problems: 20, innerEpochs: 1 });
});

describe('T5', () => {
  it('passes when vanilla rises and projected stays lower', () => {
    expect(trained(0.5, 0.2)).toMatchObject({ start: expect.closeTo(0.025, 6), vanillaBy: 0.5, projectedBy: 0.2 });
    expect(t5(trained(0.5, 0.2)).outcome).toBe('pass');
  });
  it('fails when vanilla does not rise (a teacher that never hacks), or the gap is small (projection switched off)', () => {
    expect(t5(trained(0.15, 0)).outcome).toBe('fail');
    expect(t5(trained(0.5, 0.45)).outcome).toBe('fail');
    expect(t5(trained(0.5, 0.5)).outcome).toBe('fail');
    // With V's sign flipped, erase increases the hack.
    expect(t5(trained(0.5, 0.8)).outcome).toBe('fail');
  });
  it('is undecided before step 15', () => {
    const short = trajectoryOf([
      runMade({ arm: 'none', hack: [0, 0.5, 0.9] }),
      runMade({ arm: 'erase', hack: [0, 0, 0] }),
    ]) as Trajectory;
    expect(t5(short).outcome).toBe('undecided');
    expect(trajectoryOf([runMade({ arm: 'none', hack: [0] })])).toBeNull();
    expect(short.ratios).toEqual([]);
    const runs = [runMade({ arm: 'none', hack: [0, 0.5] }), runMade({ arm: 'erase', hack: [0, 0] })];
    expect(trajectoryOf(runs, new Map([[2, [1, 9]]]))?.ratios).toEqual([null, [1, 9]]);
  });
  it('names the likely cause of a failure', () => {
    expect(t5(trained(0.1, 0, { flatGroups: 0.9 })).note).toMatch(/90\.0 % of the groups had no variance/);
    expect(t5(trained(0.1, 0, { atTheClip: 0.8 })).note).toMatch(/80\.0 % of the ratios stood at the clip bounds/);
  });
});

describe('T6', () => {
  const t4 = { svd: t2([rowMade()]), lora: t2([rowMade()]) };
  it('compares the reductions if both adapters were trained; fails with LoRA’s projection switched off', () => {
    expect(t6(t4, { svd: trained(0.6, 0.2), lora: trained(0.6, 0.25) }).outcome).toBe('pass');
    expect(t6(t4, { svd: trained(0.6, 0.2), lora: trained(0.6, 0.5) })).toMatchObject({
      outcome: 'fail',
      note: expect.stringMatching(/25 % of SVD’s: a clean negative/),
    });
  });
  it('is undecided without trainings, or if SVD’s own effect is missing', () => {
    expect(t6(t4, null)).toMatchObject({ outcome: 'undecided', note: expect.stringMatching(/not made/) });
    expect(t6(t4, { svd: trained(0.6, 0.58), lora: trained(0.6, 0.2) }).outcome).toBe('undecided');
    expect(t6(t4, { svd: trained(0.6, 0.2), lora: trained(0, 0) })).toMatchObject({
      outcome: 'undecided',
      note: expect.stringMatching(/does not take up the hack with lora/),
    });
  });
});
