// Messages between page and worker about trying another basis on a run's stored steps.
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import type { TrialPoint } from '../../experiments/kinds/run/basis-trial.ts';
import type { TrialChoice } from '../../experiments/kinds/run/own-choice.ts';

/** A published run with its file of steps (records/archive-steps.ts). */
export interface PublishedSteps {
  kind: 'published';
  path: string;
  spec: RunSpec;
  modelSha256: string;
  steps: Blob;
}

/** The run whose steps are split. */
export type TrialSource = { kind: 'kept'; runId: string } | PublishedSteps;

export interface TrialRequest {
  /** The page's name for this answer; a later one ends it. */
  task: string;
  source: TrialSource;
  choice: TrialChoice;
}

/** The work in progress, and a finished evaluation. */
export interface TrialEvent {
  type: 'trial';
  task: string;
  what: string;
  point: TrialPoint | null;
}
