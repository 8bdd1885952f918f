// Tests how long a chart waits before it redraws: new data of a run that is already drawn wait, but the first point of a run and a choice
// of the user do not.
import { expect, it } from 'vitest';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { StepRow } from '../../experiments/records/events.ts';
import { chartSet } from '../../store/charts/set.ts';
import { restOf } from './use-turn.ts';

const specs = resolveRuns(parseExperimentSpec({ preset: 'demo' }));
const setOf = (...steps: number[]) => {
  const row = (step: number) => ({ step: step + 1 }) as StepRow;
  const runs = specs.map((spec, i) => ({
    id: String(i),
    spec,
    rows: Array.from({ length: steps[i] }, (_, j) => row(j)),
    evals: [],
    timings: [],
  }));
  return chartSet(runs, 0, 'step', 60);
};

it('shows a run’s first step at once, and later ones after a delay', () => {
  expect(restOf(setOf(0, 0), setOf(0, 1), true)).toBe(0);
  expect(restOf(setOf(0, 1), setOf(1, 2), true)).toBe(0);
  expect(restOf(setOf(1, 2), setOf(2, 3), true)).toBeGreaterThan(1000);
  // The same holds outside of the window, where a chart waits longer.
  expect(restOf(setOf(1, 0), setOf(1, 1), false)).toBe(0);
  expect(restOf(setOf(1, 2), setOf(2, 3), false)).toBeGreaterThan(restOf(setOf(1, 2), setOf(2, 3), true));
});

it('counts the runs that had started when the set was made', () => {
  const rows: StepRow[] = [];
  const set = chartSet([{ id: '0', spec: specs[0], rows, evals: [], timings: [] }], 0, 'step', 60);
  rows.push({ step: 1 } as StepRow);
  expect(set.begun).toBe(0);
});
