// The page's view of one experiment, live or stored: its status as reported by events, and the latest rollouts. Live events are applied in
// place, and `revision` signals a change.

import { type ExperimentSpec, resolveRuns } from '../experiments/config/spec.ts';
import type { LabEvent, RolloutRecord, RunRecord } from '../experiments/records/events.ts';
import { type ExperimentState, foldEvent, newExperimentState } from '../experiments/records/experiment-state.ts';
import type { ExperimentRecord, LoadedExperiment } from '../lab/protocol/experiments.ts';

/** Number of steps whose rollouts stay in the page's memory; the others are read from the database. */
export const ROLLOUT_STEPS = 6;

interface StepRollouts {
  step: number;
  rollouts: RolloutRecord[];
}

export interface ExperimentView extends ExperimentState {
  id: string;
  spec: ExperimentSpec;
  status: ExperimentRecord['status'];
  createdAt: number;
  error: { message: string; remedy: string } | null;
  /** Latest steps with rollouts, oldest first, by run id. */
  rollouts: Map<string, StepRollouts[]>;
  /** Increases with every event. */
  revision: number;
}

export function newView(id: string, spec: ExperimentSpec, createdAt: number, runs: RunRecord[] = []): ExperimentView {
  return {
    ...newExperimentState(resolveRuns(spec), runs),
    id,
    spec,
    status: 'waiting',
    createdAt,
    error: null,
    rollouts: new Map(),
    revision: 0,
  };
}

export function viewOfRecord(record: ExperimentRecord, runs: RunRecord[]): ExperimentView {
  return {
    ...newView(record.id, record.spec, record.createdAt, runs),
    status: record.status,
    result: record.result,
    error: record.error,
  };
}

/** The view with the stored experiment's record and runs, if it shows the same experiment. */
export const refreshedView = (
  view: ExperimentView | null,
  { record, runs }: LoadedExperiment,
): ExperimentView | null =>
  view?.id === record.id ? { ...viewOfRecord(record, runs), rollouts: view.rollouts } : view;

/** Applies one event to the view, in place. */
export function applyEvent(view: ExperimentView, event: LabEvent): void {
  view.revision++;
  foldEvent(view, event);
  if (event.type === 'step' && event.rollouts.length > 0)
    keepRollouts(view, event.runId, event.row.step, event.rollouts);
}

export function keepRollouts(view: ExperimentView, runId: string, step: number, rollouts: RolloutRecord[]): void {
  const list = view.rollouts.get(runId) ?? [];
  const others = list.filter((entry) => entry.step !== step);
  const next = [...others, { step, rollouts }].sort((a, b) => a.step - b.step);
  view.rollouts.set(runId, next.slice(-ROLLOUT_STEPS));
}

/**
 * Steps with rows to which one can return: those whose checkpoints were made on this page, and those at which the run's settings make one,
 * for a run that was stored before this visit.
 */
export function keptSteps({ attempts }: Pick<ExperimentView, 'attempts'>, { id, spec, rows }: RunRecord): number[] {
  const { checkpointEvery, steps } = spec;
  const made = attempts.get(id)?.checkpoints ?? [];
  const isByNumber = (step: number) => checkpointEvery > 0 && (step % checkpointEvery === 0 || step === steps);
  return rows.map(({ step }) => step).filter((step) => made.includes(step) || isByNumber(step));
}
