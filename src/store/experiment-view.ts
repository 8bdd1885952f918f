// What the page shows of one experiment, live or kept: its runs, its result, its latest rollouts. Live events are folded in
// place — the arrays keep their identity, `revision` says that something changed — so that a step costs no copy of a run.

import { type HeadlineParts, headlineParts } from '../experiments/analysis/headline.ts';
import { type ExperimentSpec, type RunSpec, resolveRuns } from '../experiments/config/spec.ts';
import type { ExperimentResult, LabEvent, RolloutRecord, RunRecord } from '../experiments/records/events.ts';
import type { ExperimentRecord, LoadedExperiment } from '../lab/protocol/experiments.ts';

/** Steps whose rollouts are kept in the page; all others can be asked of the store. */
export const ROLLOUT_STEPS = 6;

interface StepRollouts {
  step: number;
  rollouts: RolloutRecord[];
}

export interface ExperimentView {
  id: string;
  spec: ExperimentSpec;
  /** What is to be trained, in order; `runs` holds what has begun. */
  planned: RunSpec[];
  status: ExperimentRecord['status'];
  createdAt: number;
  runs: RunRecord[];
  result: ExperimentResult | null;
  error: { message: string; remedy: string } | null;
  /** Latest steps with rollouts, oldest first, by run id. */
  rollouts: Map<string, StepRollouts[]>;
  /** Steps behind which a checkpoint was made while it ran here, ascending, by run id: by number, by time, and at a stage's end. */
  kept: Map<string, number[]>;
  revision: number;
}

export function newView(id: string, spec: ExperimentSpec, createdAt: number): ExperimentView {
  return {
    id,
    spec,
    planned: resolveRuns(spec),
    status: 'waiting',
    createdAt,
    runs: [],
    result: null,
    error: null,
    rollouts: new Map(),
    kept: new Map(),
    revision: 0,
  };
}

export function viewOfRecord(record: ExperimentRecord, runs: RunRecord[]): ExperimentView {
  return {
    ...newView(record.id, record.spec, record.createdAt),
    status: record.status,
    runs,
    result: record.result,
    error: record.error,
  };
}

/** The view with the experiment as it is kept now, where it is this one's. */
export const renewed = (view: ExperimentView | null, { record, runs }: LoadedExperiment): ExperimentView | null =>
  view?.id === record.id ? { ...viewOfRecord(record, runs), rollouts: view.rollouts } : view;

/** Folds one event into the view, in place. A resumed run repeats steps: the newer row wins. */
export function applyEvent(view: ExperimentView, event: LabEvent): void {
  view.revision++;
  switch (event.type) {
    case 'run-start':
    case 'run-end':
      putRun(view, event.run);
      return;
    case 'step': {
      const run = view.runs.find(({ id }) => id === event.runId);
      if (!run) return;
      putByStep(run.rows, event.row);
      putByStep(run.timings, event.timing);
      if (event.rollouts.length > 0) keepRollouts(view, event.runId, event.row.step, event.rollouts);
      return;
    }
    case 'eval': {
      const run = view.runs.find(({ id }) => id === event.runId);
      if (!run) return;
      const { step, model, kind } = event.row;
      const at = run.evals.findIndex((row) => row.step === step && row.model === model && row.kind === kind);
      if (at >= 0) run.evals[at] = event.row;
      else run.evals.push(event.row);
      return;
    }
    case 'result':
      view.result = event.result;
      for (const run of event.result.runs) putRun(view, run);
      return;
    case 'checkpoint': {
      const steps = view.kept.get(event.runId) ?? [];
      if (!steps.includes(event.step))
        view.kept.set(
          event.runId,
          [...steps, event.step].sort((one, two) => one - two),
        );
      return;
    }
    case 'prepare':
    case 'phase':
      return;
  }
}

function putRun(view: ExperimentView, run: RunRecord): void {
  const copy = { ...run, rows: [...run.rows], timings: [...run.timings], evals: [...run.evals] };
  const at = view.runs.findIndex(({ id }) => id === run.id);
  if (at >= 0) view.runs[at] = copy;
  else {
    // In the order of the plan, whichever cell was trained first.
    const place = ({ spec }: RunRecord) =>
      view.planned.findIndex(({ arm, seed }) => arm === spec?.arm && seed === spec?.seed);
    view.runs.push(copy);
    view.runs.sort((a, b) => place(a) - place(b));
  }
}

function putByStep<T extends { step: number }>(list: T[], item: T): void {
  while (list.length > 0 && list[list.length - 1].step >= item.step) list.pop();
  list.push(item);
}

export function keepRollouts(view: ExperimentView, runId: string, step: number, rollouts: RolloutRecord[]): void {
  const list = view.rollouts.get(runId) ?? [];
  const others = list.filter((entry) => entry.step !== step);
  const next = [...others, { step, rollouts }].sort((a, b) => a.step - b.step);
  view.rollouts.set(runId, next.slice(-ROLLOUT_STEPS));
}

export function runHeadline({ result, planned }: ExperimentView): HeadlineParts | null {
  return result && headlineParts(result.table, planned[0].environment);
}

/** Steps of its rows that one can go back to: where checkpoints were made here, and where the run's settings make them, as of a run that was
 *  kept before this visit. */
export function keptSteps({ kept }: Pick<ExperimentView, 'kept'>, { id, spec, rows }: RunRecord): number[] {
  const { checkpointEvery, steps } = spec;
  const made = kept.get(id) ?? [];
  const isByNumber = (step: number) => checkpointEvery > 0 && (step % checkpointEvery === 0 || step === steps);
  return rows.map(({ step }) => step).filter((step) => made.includes(step) || isByNumber(step));
}
