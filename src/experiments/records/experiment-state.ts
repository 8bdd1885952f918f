// State of an experiment, folded from its events: the records of its runs, their checkpoints, the result and the current phase. The worker, the
// page and the command line all use `foldEvent`, so that they get equal records.

import type { RunSpec } from '../config/run-spec.ts';
import type { ExperimentResult, LabEvent, RunRecord } from './events.ts';

/** What events of one run have told since the fold began, beyond its record. */
export interface Attempt {
  /** Steps after which a checkpoint was made (by number, by time, at a stage's end), ascending. */
  checkpoints: number[];
  /** The step after which the run resumes if it is stopped. */
  resumesAfter: number;
  /** Number of models whose final evaluation is done. */
  evaluated: number;
  /** Number of steps relearned. */
  relearnt: number;
}

export interface ExperimentState {
  /** All runs of the experiment, in order. */
  planned: RunSpec[];
  /** Started runs, in the order of the plan. The arrays of a record keep their identity, so that a step copies no run. */
  runs: RunRecord[];
  result: ExperimentResult | null;
  /** Runs started since the fold began, by id. */
  attempts: Map<string, Attempt>;
  /** The run of the latest event. */
  latestRun: string | null;
  /** Name of the work in preparation, the phase of the latest event's run, `start` or `done`. */
  phase: string;
}

/** @param runs records of earlier sessions, in the order of the plan. */
export function newExperimentState(planned: RunSpec[], runs: readonly RunRecord[] = []): ExperimentState {
  return { planned, runs: [...runs], result: null, attempts: new Map(), latestRun: null, phase: 'prepare' };
}

export const recordOf = ({ runs }: Pick<ExperimentState, 'runs'>, runId: string): RunRecord | undefined =>
  runs.find(({ id }) => id === runId);

/** Whether the run is no longer trained: it is done, or has failed since the fold began (earlier failures are retried). */
export function isOver({ runs, attempts }: Pick<ExperimentState, 'runs' | 'attempts'>, runId: string): boolean {
  const status = recordOf({ runs }, runId)?.status;
  return status === 'done' || (status === 'failed' && attempts.has(runId));
}

/** Folds one event into the state, in place. A resumed run repeats steps: the newer row wins. Records that the event holds are copied. */
export function foldEvent(state: ExperimentState, event: LabEvent): void {
  switch (event.type) {
    case 'prepare':
      state.phase = event.what;
      return;
    case 'run-start': {
      const { id, rows } = event.run;
      putRun(state, event.run);
      state.attempts.set(id, { checkpoints: [], resumesAfter: rows.length, evaluated: 0, relearnt: 0 });
      state.latestRun = id;
      state.phase = 'start';
      return;
    }
    case 'phase': {
      const attempt = state.attempts.get(event.runId);
      if (attempt && event.phase === 'final evaluation') attempt.evaluated = event.done;
      if (attempt && event.phase === 'relearning') attempt.relearnt = event.done;
      state.latestRun = event.runId;
      state.phase = event.phase;
      return;
    }
    case 'step': {
      const run = recordOf(state, event.runId);
      if (run) {
        putByStep(run.rows, event.row);
        putByStep(run.timings, event.timing);
      }
      state.latestRun = event.runId;
      return;
    }
    case 'eval': {
      const run = recordOf(state, event.runId);
      if (!run) return;
      const { step, model, kind } = event.row;
      const at = run.evals.findIndex((row) => row.step === step && row.model === model && row.kind === kind);
      if (at >= 0) run.evals[at] = event.row;
      else run.evals.push(event.row);
      return;
    }
    case 'checkpoint': {
      const attempt = state.attempts.get(event.runId);
      if (!attempt) return;
      attempt.checkpoints = [...new Set([...attempt.checkpoints, event.step])].sort((one, two) => one - two);
      attempt.resumesAfter = event.step;
      return;
    }
    case 'run-end':
      putRun(state, event.run);
      return;
    case 'result':
      state.result = event.result;
      for (const run of event.result.runs) putRun(state, run);
      state.phase = 'done';
      return;
  }
}

function putRun(state: ExperimentState, run: RunRecord): void {
  const copy = { ...run, rows: [...run.rows], timings: [...run.timings], evals: [...run.evals] };
  const at = state.runs.findIndex(({ id }) => id === run.id);
  if (at >= 0) state.runs[at] = copy;
  else {
    // Keeps the order of the plan, whichever run was trained first.
    const place = ({ spec }: RunRecord) =>
      state.planned.findIndex(({ arm, seed }) => arm === spec?.arm && seed === spec?.seed);
    state.runs.push(copy);
    state.runs.sort((a, b) => place(a) - place(b));
  }
}

function putByStep<T extends { step: number }>(list: T[], item: T): void {
  while (list.length > 0 && list[list.length - 1].step >= item.step) list.pop();
  list.push(item);
}
