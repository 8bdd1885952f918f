// Tests that `study --again` considers two runs the same only if every step, and every evaluation that both have, is equal.
import { expect, it } from 'vitest';
import type { FinishedRun } from '../../../src/experiments/runs/finished.ts';
import { evaluationMade, runMade } from '../../../src/experiments/testing/statistics-runs.ts';
import { compareWithPublished, repeatText } from './again.ts';

const run = (key: string, change: Partial<FinishedRun['record']> = {}): FinishedRun => ({
  key,
  record: { ...runMade({ arm: 'none', seed: 41 }), ...change },
  rerouted: [],
});
const byKey = (...runs: FinishedRun[]) => new Map(runs.map((one) => [one.key, one]));

it('a run equals the published one if all common data are equal', () => {
  const kept = byKey(run('a'), run('b'));
  const { rows, evals } = run('a').record;
  // A quarantine that one of the runs lacks says nothing about the other run.
  const more = run('a', { evals: [...evals, evaluationMade('deployed', 0.1, 0.4)] });
  more.record.rows = rows.map((row) => ({ ...row, shadowNorms: { k16: 1 }, shadowCin: { k16: 0.5 } }));
  const found = compareWithPublished(kept, byKey(more, run('not published')));
  expect(found).toMatchObject({ runs: 1, differing: [], rows: rows.length, evals: evals.length, unjudged: 0 });
  expect(found.rollouts).toBeGreaterThan(0);
  expect(repeatText(found)).toMatch(/^1 of 1 runs are what is published/);
});

it('a step, an evaluation or a verdict that differs is named', () => {
  const { rows, evals } = run('a').record;
  const [first, ...rest] = rows;
  const off = { ...first, student: { ...first.student, unjudged: 1 } };
  for (const change of [
    { rows: [off, ...rest] },
    { rows: rest },
    { evals: evals.map((row) => ({ ...row, all: { ...row.all, hack: 0.123 } })) },
  ]) {
    const found = compareWithPublished(byKey(run('a')), byKey(run('a', change)));
    expect(found.differing).toEqual(['a']);
    expect(repeatText(found)).toContain('0 of 1 runs');
    expect(repeatText(found)).toContain('differs: a');
  }
  expect(compareWithPublished(byKey(run('a')), byKey(run('a', { rows: [off, ...rest] }))).unjudged).toBe(1);
});
