// Tests what the event reducer tracks beyond a run's record: which runs are over, where a stopped run resumes, and the current phase.
import { expect, it } from 'vitest';
import { runIdOf } from '../config/run-spec.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import type { LabEvent, RunRecord, RunStatus, StepRow, StepTiming } from './events.ts';
import { foldEvent, isOver, newExperimentState, recordOf } from './experiment-state.ts';

const planned = resolveRuns(parseExperimentSpec({ preset: 'smoke', arms: ['none', 'erase'], seeds: [1] }));
const [first, second] = planned.map((run) => runIdOf('x', run));
const record = (id: string, status: RunStatus, rows: number[] = []) =>
  ({
    id,
    spec: planned[[first, second].indexOf(id)],
    status,
    rows: rows.map((step) => ({ step })),
    timings: [],
    evals: [],
  }) as unknown as RunRecord;

it('treats a failure as final in its own session only; a failure of an earlier session is retried', () => {
  const state = newExperimentState(planned, [record(first, 'failed', [1])]);
  expect(isOver(state, first)).toBe(false);
  foldEvent(state, { type: 'run-start', run: record(first, 'running', [1]) });
  expect(isOver(state, first)).toBe(false);
  foldEvent(state, { type: 'run-end', run: record(first, 'failed', [1]) });
  expect(isOver(state, first)).toBe(true);
  foldEvent(state, { type: 'run-start', run: record(second, 'running') });
  foldEvent(state, { type: 'run-end', run: record(second, 'stopped') });
  expect(isOver(state, second)).toBe(false);
  foldEvent(state, { type: 'run-end', run: record(second, 'done') });
  expect(isOver(state, second)).toBe(true);
});

it('keeps runs in the order of the plan, whichever was trained first', () => {
  const state = newExperimentState(planned);
  foldEvent(state, { type: 'run-start', run: record(second, 'running') });
  foldEvent(state, { type: 'run-start', run: record(first, 'running') });
  expect(state.runs.map(({ id }) => id)).toEqual([first, second]);
});

it('knows after which step a stopped run resumes: its last checkpoint, or where it started', () => {
  const state = newExperimentState(planned);
  foldEvent(state, { type: 'run-start', run: record(first, 'running', [1, 2]) });
  const resumesAfter = () => state.attempts.get(first)!.resumesAfter;
  expect(resumesAfter()).toBe(2);
  const [row, timing] = [{ step: 3 } as StepRow, { step: 3 } as unknown as StepTiming];
  foldEvent(state, { type: 'step', runId: first, row, timing, rollouts: [] });
  expect(resumesAfter()).toBe(2);
  expect(recordOf(state, first)!.rows).toHaveLength(3);
  foldEvent(state, { type: 'checkpoint', runId: first, step: 3 });
  expect(resumesAfter()).toBe(3);
});

it('names the current phase and its run', () => {
  const state = newExperimentState(planned);
  const after = (event: LabEvent) => {
    foldEvent(state, event);
    return [state.phase, state.latestRun];
  };
  expect(after({ type: 'prepare', what: 'problems', done: 0, total: 1 })).toEqual(['problems', null]);
  expect(after({ type: 'run-start', run: record(first, 'running') })).toEqual(['start', first]);
  const phase = { type: 'phase', runId: first, step: 3, phase: 'final evaluation', done: 2, total: 4 } as const;
  expect(after(phase)).toEqual(['final evaluation', first]);
  expect(state.attempts.get(first)!.evaluated).toBe(2);
  const runs = [record(first, 'done'), record(second, 'done')];
  const result = { runs } as unknown as Extract<LabEvent, { type: 'result' }>['result'];
  expect(after({ type: 'result', result })[0]).toBe('done');
  expect(state.result).toBe(result);
  expect([first, second].every((id) => isOver(state, id))).toBe(true);
});
