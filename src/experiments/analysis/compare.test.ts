// Tests the rules of comparison one by one: which runs count, and when there is no mean.
import { describe, expect, it } from 'vitest';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import type { RunRecord } from '../records/events.ts';
import { cellOf, isComplete, lastFive, pairedDelta } from './compare.ts';

const spec = resolveRuns(parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41] }))[0];

/** A finished run whose trained model ends at this hack rate, and whose step i has hack rate i/10. */
function runOf(hack: number | null, changes: Partial<RunRecord['spec']> = {}): RunRecord {
  const rows = Array.from({ length: spec.steps }, (_, i) => ({ student: { figures: { hack: i / 10 } } }));
  const evals = [{ kind: 'final', model: 'total', all: { figures: { hack } } }];
  return { spec: { ...spec, ...changes }, status: 'done', rows, evals } as unknown as RunRecord;
}

describe('a cell', () => {
  it('has a mean over seeds only if every seed has a value, and a spread only for at least two seeds', () => {
    expect(cellOf([0.2, 0.4])).toEqual({ mean: expect.closeTo(0.3, 12), sd: expect.closeTo(Math.SQRT2 / 10, 12) });
    expect(cellOf([0.2])).toEqual({ mean: 0.2, sd: null });
    expect(cellOf([0.2, null])).toBeNull();
    expect(cellOf([])).toBeNull();
  });
});

describe('a run', () => {
  it('counts when it is done, logged every step and was evaluated', () => {
    const run = runOf(0.1);
    expect(isComplete(run)).toBe(true);
    expect(isComplete({ ...run, rows: run.rows.slice(1) })).toBe(false);
    expect(isComplete({ ...run, status: 'stopped' })).toBe(false);
    expect(isComplete({ ...run, evals: [] })).toBe(false);
  });

  it('is summarised by its last five steps', () => {
    const { rows } = runOf(0.1);
    const ten = Array.from({ length: 10 }, (_, i) => ({ ...rows[0], student: { n: 1, figures: { hack: i / 10 } } }));
    expect(lastFive([{ ...runOf(0.1), rows: ten }], 'hack')).toEqual([expect.closeTo(0.7, 12)]);
  });
});

describe('a delta', () => {
  it('is paired by seed in any order, and needs the same seeds on both sides', () => {
    const vanilla = [runOf(0.5, { seed: 41 }), runOf(0.7, { seed: 42 })];
    const runs = [runOf(0.3, { seed: 42 }), runOf(0.2, { seed: 41 })];
    expect(pairedDelta(runs, 'total', vanilla, 'hack')?.mean).toBeCloseTo((0.2 - 0.5 + 0.3 - 0.7) / 2, 12);
    expect(pairedDelta(runs.slice(1), 'total', vanilla, 'hack')).toBeNull();
    expect(pairedDelta([runs[0], runOf(null, { seed: 41 })], 'total', vanilla, 'hack')).toBeNull();
  });
});
