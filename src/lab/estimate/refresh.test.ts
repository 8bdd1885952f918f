import { afterAll, describe, expect, it } from 'vitest';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { openTestLab, TEST_MODEL, type TestLab } from '../testing/lab.ts';
import { needOf } from './memory.ts';
import { extractionRows, refreshRows, refreshSize, spanSize } from './refresh.ts';

const small = { maxNew: 24, problems: 8, evalProblems: 2, finalEvalProblems: 4, checkpointEvery: 1, pairs: 8, k: 2 };
const spec = (arm: string, overrides: Record<string, unknown> = {}) =>
  parseExperimentSpec({ preset: 'smoke', arms: [arm], device: 'cpu', overrides: { ...small, ...overrides } });
const run = (arm: string, overrides: Record<string, unknown> = {}) => resolveRuns(spec(arm, overrides))[0];

describe('the cost of refreshed bases', () => {
  it('is zero without them, and if the first would come after the last step', () => {
    for (const refreshEvery of [0, 3, 10]) {
      expect(refreshRows(run('erase', { steps: 3, refreshEvery }), 100)).toBe(0);
      expect(refreshSize(run('erase', { steps: 3, refreshEvery }))).toEqual({ vectors: 0, bases: [] });
    }
  });

  it('is both completions of every pair, at each refresh', () => {
    // The basis is refreshed after steps 2 and 4 of 5, never after the last.
    expect(refreshRows(run('erase', { steps: 5, refreshEvery: 2 }), 100)).toBe(2 * 16 * 100);
    expect(refreshRows(run('erase', { steps: 4, refreshEvery: 2 }), 100)).toBe(16 * 100);
    expect(refreshSize(run('erase', { steps: 5, refreshEvery: 2 }))).toEqual({ vectors: 1 + 16, bases: [2] });
  });

  it('includes every quarantine with its own basis, except matched random axes', () => {
    const routed = run('route-update', { steps: 2, refreshEvery: 1 });
    const bases = 1 + routed.shadows.filter(({ kind }) => kind !== 'random_matched').length;
    expect(bases).toBeGreaterThan(5);
    expect(bases).toBeLessThan(1 + routed.shadows.length);
    expect(refreshRows(routed, 100)).toBe(bases * 16 * 100);
    expect(refreshSize(routed).vectors).toBe(bases + 16);
  });
});

describe('the cost of a basis of trusted problems', () => {
  it('is one solution for each of them, at the start and at each refresh', () => {
    const trusted = { problems: 64, honestShare: 0.5, trustedShare: 0.25, mix: 0 };
    const span = run('trusted_subspace', { ...trusted, steps: 5, refreshEvery: 2 });
    expect(extractionRows([span], 100)).toBe(8 * 100);
    expect(refreshRows(span, 100)).toBe(2 * 8 * 100);
    expect(refreshSize(span)).toEqual({ vectors: 1 + 8, bases: [2] });
    const scaled = run('trusted_subspace_adam', { ...trusted, steps: 5, refreshEvery: 2 });
    expect(refreshSize(scaled)).toEqual({ vectors: 1 + 1 + 8, bases: [2] });
    expect(spanSize(span)).toBe(0);
    expect(spanSize(run('trusted_subspace_all', trusted))).toBe(6 * 8);
    expect(spanSize(run('erase', { spanOf: 'all' }))).toBe(0);
  });
});

describe('the cost of the first bases', () => {
  it('counts every set of pairs once, however many runs use it, and nothing without pairs', () => {
    const [erase, again] = [run('erase'), { ...run('erase'), seed: 42 }];
    expect(extractionRows([erase], 100)).toBe(2 * 8 * 100);
    expect(extractionRows([erase, again], 100)).toBe(2 * 8 * 100);
    // Quarantines of other pairs (not hacks, placebos, no fewer of the run's own) have those pairs scored too.
    expect(extractionRows([run('route-update'), erase], 100)).toBeGreaterThan(2 * 8 * 100);
    const chain = parseExperimentSpec({ preset: 'smoke', overrides: { environment: 'chain' } });
    expect(extractionRows(resolveRuns(chain), 100)).toBe(0);
  });
});

describe('an estimate', () => {
  let lab: TestLab | undefined;
  afterAll(() => lab?.close());
  const ended = (id: string) => (event: WorkerEvent) =>
    event.type === 'experiment' && event.summary.id === id && event.summary.status === 'done';

  it('counts them in memory and time, and bounds the cost of such a run', async () => {
    lab = await openTestLab();
    const { session, equipment, records, until } = lab;
    const plain = spec('erase', { steps: 2 });
    const refreshed = spec('erase', { steps: 2, refreshEvery: 1 });
    await equipment.open('cpu');
    const [without, of] = [await session.estimate(plain), await session.estimate(refreshed)];
    expect(of.memory.optimizer).toBeGreaterThan(without.memory.optimizer);
    expect(of.seconds!.perStep).toBe(without.seconds!.perStep);
    expect(of.seconds!.total).toBeGreaterThan(without.seconds!.total);
    expect(needOf(resolveRuns(plain), TEST_MODEL, 100, 'cpu').total).toBeLessThan(
      needOf(resolveRuns(refreshed), TEST_MODEL, 100, 'cpu').total,
    );

    await session.start('refreshed', refreshed);
    await until(ended('refreshed'));
    const [{ timings }] = await records.runs(await records.experiment('refreshed'));
    expect(timings.map(({ phases }) => (phases.refresh ?? 0) > 0)).toEqual([false, true]);
    const { peak } = equipment.current!.chosen.device.memory();
    expect(peak).toBeLessThanOrEqual(1.05 * of.memory.total);
  });
});
