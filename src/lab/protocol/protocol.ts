// Messages from the lab's worker to the page: one union of events. The page's requests are the worker's table of handlers
// (handlers/handlers.ts); the files beside this one have the types of both. The page never touches the GPU, the model or the database.

import type { MemoryNeed } from '../../engine/memory/memory.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import type { ExtractionEvent } from './bases.ts';
import type { ExperimentSummary } from './experiments.ts';
import type { KeptEvent } from './kept.ts';
import type { ModelEvent } from './models.ts';
import type { PlayEvent } from './playground.ts';
import type { PoolEvent } from './pools.ts';
import type { ProbeEvent } from './probe.ts';
import type { ProblemEvent, PythonEvent } from './problems.ts';
import type { DeviceReport, ModelReport } from './reports.ts';
import type { StepReplayEvent } from './run-requests.ts';
import type { TrialEvent } from './trials.ts';

export type { DeviceChoice } from '../../experiments/config/spec.ts';
export type { PoolFormat, PoolReport } from './pools.ts';

/** Estimated needs of an experiment before it is started. */
export interface RunEstimate {
  /** Name of the device of the estimate. */
  device: string;
  memory: MemoryNeed;
  /** Total memory of the device; null if unknown (WebGPU). */
  limitBytes: number | null;
  /** Why it cannot be run, with the numbers; null if it fits. */
  misfit: { message: string; remedy: string } | null;
  /** Null if it does not fit, or nothing could be measured (one is running, the model is not factored). `preparing` is part of the total. */
  seconds: { perStep: number; preparing: number; total: number } | null;
  /** Whether a run's steps have corrected the first short measurement. */
  corrected: boolean;
}

/** `pause` waits at the next boundary between steps; `step` trains one more and waits again; `go` resumes. */
export type Pace = 'pause' | 'step' | 'go';

/** Progress of an experiment. */
export interface ExperimentProgress {
  runId: string | null;
  /** Index of the run in training, out of `runs`. */
  run: number;
  runs: number;
  step: number;
  steps: number;
  phase: string;
  /** Other runs that are training at the same time. */
  beside?: { runId: string; step: number; steps: number }[];
  /** Share of the whole experiment, 0..1. */
  fraction: number;
  /** Null until something has been measured. */
  etaSeconds: number | null;
}

/** Progress of the running experiment; sent at most a few times a second. */
export interface ProgressEvent extends ExperimentProgress {
  type: 'progress';
  experimentId: string;
  /** Whether it is paused between two steps until `go` or `step`. */
  paused?: boolean;
  /** Bytes on the device. */
  memory?: { allocated: number; peak: number };
}

/** Events of one experiment (LabEvent, tagged with its id) and of the lab itself. */
export type WorkerEvent =
  | { type: 'lab'; experimentId: string; event: LabEvent }
  | ProgressEvent
  | PlayEvent
  | ExtractionEvent
  | KeptEvent
  | ModelEvent
  | PoolEvent
  | ProbeEvent
  | ProblemEvent
  | PythonEvent
  | StepReplayEvent
  | TrialEvent
  | { type: 'experiment'; summary: ExperimentSummary }
  | { type: 'loading'; what: string; done: number; total: number; etaSeconds?: number | null }
  | { type: 'warning'; message: string }
  /** A starting experiment has loaded its environment's own model. */
  | { type: 'model-opened'; model: ModelReport }
  /** A starting experiment has opened another device. */
  | { type: 'device'; report: DeviceReport }
  | { type: 'device-lost'; message: string };
