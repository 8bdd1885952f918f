import { describe, expect, it } from 'vitest';
import { parseExperimentSpec } from '../experiments/config/spec.ts';
import type { EvalRow, RolloutRecord, RunRecord, StepRow, StepTiming } from '../experiments/records/events.ts';
import { applyEvent, keptSteps, newView, ROLLOUT_STEPS } from './experiment-view.ts';

const spec = parseExperimentSpec({ preset: 'smoke', arms: ['route'], seeds: [41] });
const runRecord = (rows: StepRow[] = []) =>
  ({ id: 'r', status: 'running', rows, timings: [], evals: [] }) as unknown as RunRecord;
const row = (step: number, reward = 0) => ({ step, reward }) as StepRow;
const timing = (step: number) => ({ step, total: 1 }) as StepTiming;
const rollouts = [{ step: 1 } as RolloutRecord];

function started() {
  const view = newView('e', spec, 0);
  applyEvent(view, { type: 'run-start', run: runRecord() });
  return view;
}

describe('applyEvent', () => {
  it('knows from the start what will be trained', () => {
    expect(newView('e', spec, 0).planned.map(({ arm, seed, steps }) => [arm, seed, steps])).toEqual([['route', 41, 3]]);
  });

  it('adds rows in place, so that a step does not copy a run', () => {
    const view = started();
    const { rows } = view.runs[0];
    applyEvent(view, { type: 'step', runId: 'r', row: row(1), timing: timing(1), rollouts });
    applyEvent(view, { type: 'step', runId: 'r', row: row(2), timing: timing(2), rollouts: [] });
    expect(view.runs[0].rows).toBe(rows);
    expect(rows.map(({ step }) => step)).toEqual([1, 2]);
    expect(view.revision).toBe(3);
  });

  it('uses the newer row if a resumed run repeats a step', () => {
    const view = started();
    for (const step of [1, 2, 3]) {
      applyEvent(view, { type: 'step', runId: 'r', row: row(step), timing: timing(step), rollouts: [] });
    }
    applyEvent(view, { type: 'step', runId: 'r', row: row(2, 9), timing: timing(2), rollouts: [] });
    expect(view.runs[0].rows.map(({ step, reward }) => [step, reward])).toEqual([
      [1, 0],
      [2, 9],
    ]);
  });

  it('stores one evaluation per step, model and kind', () => {
    const view = started();
    const evaluation = (n: number) => ({ step: 2, model: 'deployed', kind: 'during', all: { n } }) as EvalRow;
    applyEvent(view, { type: 'eval', runId: 'r', row: evaluation(1) });
    applyEvent(view, { type: 'eval', runId: 'r', row: evaluation(2) });
    expect(view.runs[0].evals).toEqual([evaluation(2)]);
  });

  it('stores only the rollouts of the latest steps', () => {
    const view = started();
    for (let step = 1; step <= ROLLOUT_STEPS + 3; step++) {
      applyEvent(view, { type: 'step', runId: 'r', row: row(step), timing: timing(step), rollouts });
    }
    const kept = view.rollouts.get('r')!.map((entry) => entry.step);
    expect(kept).toHaveLength(ROLLOUT_STEPS);
    expect(kept.at(-1)).toBe(ROLLOUT_STEPS + 3);
  });

  it('does not modify the records that it receives', () => {
    const sent = runRecord();
    const view = newView('e', spec, 0);
    applyEvent(view, { type: 'run-start', run: sent });
    applyEvent(view, { type: 'step', runId: 'r', row: row(1), timing: timing(1), rollouts: [] });
    expect(sent.rows).toEqual([]);
  });

  it('knows to which steps one can return: by number, and by time where a checkpoint was made', () => {
    const view = started();
    for (let step = 1; step <= 7; step++)
      applyEvent(view, { type: 'step', runId: 'r', row: row(step), timing: timing(step), rollouts: [] });
    for (const step of [5, 3, 5, 9]) applyEvent(view, { type: 'checkpoint', runId: 'r', step });
    const run = { ...view.runs[0], spec: { checkpointEvery: 4, steps: 7 } } as unknown as RunRecord;
    // Step 9 has no row.
    expect(keptSteps(view, run)).toEqual([3, 4, 5, 7]);
    expect(keptSteps(newView('e', spec, 0), run)).toEqual([4, 7]);
    const never = { ...run, spec: { checkpointEvery: 0, steps: 7 } } as unknown as RunRecord;
    expect(keptSteps(newView('e', spec, 0), never)).toEqual([]);
  });
});
