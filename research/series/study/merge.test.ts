// Tests that a published run that is trained again keeps its published quarantines, and that a run with another result takes none.
import { describe, expect, it } from 'vitest';
import type { FinishedRun } from '../../../src/experiments/runs/finished.ts';
import { evaluationMade, runMade } from '../../../src/experiments/testing/statistics-runs.ts';
import { mergeRun, mergeRuns } from './merge.ts';

const record = runMade({ arm: 'none', seed: 41 });
const row = evaluationMade('deployed', 0.1, 0.4);
const control = (label: string) => ({ label }) as unknown as FinishedRun['rerouted'][number]['shadow'];
const run = (labels: string[], changes: Partial<FinishedRun['record']> = {}): FinishedRun => ({
  key: 'vanilla',
  record: { ...record, ...changes },
  rerouted: labels.map((label) => ({ shadow: control(label), row })),
});
const labels = ({ rerouted: replayed }: FinishedRun) =>
  replayed.map(({ shadow: control }) => (control as unknown as { label: string }).label);

describe('mergeRun', () => {
  it('adds the published quarantines that the own run lacks, each once', () => {
    expect(labels(mergeRun(run(['a', 'b']), run(['b', 'c'])))).toEqual(['a', 'b', 'c']);
  });

  it('returns the own run itself if there is nothing to add', () => {
    const own = run(['a', 'b']);
    expect(mergeRun(own, run(['a']))).toBe(own);
    expect(mergeRun(own, undefined)).toBe(own);
  });

  it('takes the record with more quarantines', () => {
    const carried = run([], { evals: [...record.evals, row] });
    expect(mergeRun(run(['a']), carried).record.evals).toHaveLength(record.evals.length + 1);
    expect(labels(mergeRun(run(['a']), carried))).toEqual(['a']);
  });

  it('takes nothing from a run that trained differently, or that another grader judged', () => {
    const rows = record.rows.map((row, i) => (i === 0 ? { ...row, reward: 7 } : row));
    expect(labels(mergeRun(run(['a']), run(['b'], { rows })))).toEqual(['a']);
    expect(labels(mergeRun(run(['a']), run(['b'], { graderVersion: 'another' })))).toEqual(['a']);
  });
});

describe('mergeRuns', () => {
  it('keeps runs of either side', () => {
    const merged = mergeRuns(new Map([['x', run(['a'])]]), new Map([['y', run(['b'])]]));
    expect([...merged.keys()].sort()).toEqual(['x', 'y']);
  });
});
