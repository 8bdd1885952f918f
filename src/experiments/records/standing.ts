// State of an experiment from its events: the records of its runs, their checkpoints, the result and the present phase. The lab's worker,
// the page and the command line all fold a running experiment with `foldEvent`, so that they cannot arrive at different records.

import type { RunSpec } from '../config/run-spec.ts';
import type { ExperimentResult, LabEvent, RunRecord } from './events.ts';

/** Events of one run since the fold began that its record does not hold. */
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

export interface Standing {
  /** All runs of the experiment, in order. */
  planned: RunSpec[];
  /** Started runs, in the order of the plan. The arrays of a record keep their identity, so that a step copies no run. */
  runs: RunRecord[];
  result: ExperimentResult | null;
  /** Runs started since the fold began, by id. */
  attempts: Map<string, Attempt>;
  /** The run of the latest event. */
  heard: string | null;
  /** Name of the work in preparation, the phase of the latest event's run, `start` or `done`. */
  phase: string;
}

/** @param runs records of earlier sessions, in the order of the plan. */
export function newStanding(planned: RunSpec[], runs: readonly RunRecord[] = []): Standing {
  return { planned, runs: [...runs], result: null, attempts: new Map(), heard: null, phase: 'prepare' };
}

export const recordOf = ({ runs }: Pick<Standing, 'runs'>, runId: string): RunRecord | undefined =>
  runs.find(({ id }) => id === runId);

/** Whether the run is no longer trained: it is done, or has failed since the fold began. */
export function isOver({ runs, attempts }: Pick<Standing, 'runs' | 'attempts'>, runId: string): boolean {
  const status = recordOf({ runs }, runId)?.status;
  return status === 'done' || (status === 'failed' && attempts.has(runId));
}

/** Folds one event into the standing, in place. A resumed run repeats steps: the newer row wins. Records that the event holds are copied. */
export function foldEvent(standing: Standing, event: LabEvent): void {
  switch (event.type) {
    case 'prepare':
      standing.phase = event.what;
      return;
    case 'run-start': {
      const { id, rows } = event.run;
      putRun(standing, event.run);
      standing.attempts.set(id, { checkpoints: [], resumesAfter: rows.length, evaluated: 0, relearnt: 0 });
      standing.heard = id;
      standing.phase = 'start';
      return;
    }
    case 'phase': {
      const attempt = standing.attempts.get(event.runId);
      if (attempt && event.phase === 'final evaluation') attempt.evaluated = event.done;
      if (attempt && event.phase === 'relearning') attempt.relearnt = event.done;
      standing.heard = event.runId;
      standing.phase = event.phase;
      return;
    }
    case 'step': {
      const run = recordOf(standing, event.runId);
      if (run) {
        putByStep(run.rows, event.row);
        putByStep(run.timings, event.timing);
      }
      standing.heard = event.runId;
      return;
    }
    case 'eval': {
      const run = recordOf(standing, event.runId);
      if (!run) return;
      const { step, model, kind } = event.row;
      const at = run.evals.findIndex((row) => row.step === step && row.model === model && row.kind === kind);
      if (at >= 0) run.evals[at] = event.row;
      else run.evals.push(event.row);
      return;
    }
    case 'checkpoint': {
      const attempt = standing.attempts.get(event.runId);
      if (!attempt) return;
      attempt.checkpoints = [...new Set([...attempt.checkpoints, event.step])].sort((one, two) => one - two);
      attempt.resumesAfter = event.step;
      return;
    }
    case 'run-end':
      putRun(standing, event.run);
      return;
    case 'result':
      standing.result = event.result;
      for (const run of event.result.runs) putRun(standing, run);
      standing.phase = 'done';
      return;
  }
}

function putRun(standing: Standing, run: RunRecord): void {
  const copy = { ...run, rows: [...run.rows], timings: [...run.timings], evals: [...run.evals] };
  const at = standing.runs.findIndex(({ id }) => id === run.id);
  if (at >= 0) standing.runs[at] = copy;
  else {
    // Keeps the order of the plan, whichever run was trained first.
    const place = ({ spec }: RunRecord) =>
      standing.planned.findIndex(({ arm, seed }) => arm === spec?.arm && seed === spec?.seed);
    standing.runs.push(copy);
    standing.runs.sort((a, b) => place(a) - place(b));
  }
}

function putByStep<T extends { step: number }>(list: T[], item: T): void {
  while (list.length > 0 && list[list.length - 1].step >= item.step) list.pop();
  list.push(item);
}
