// What the lab's worker tells the page: one union of events. What the page asks is the worker's table of handlers (handlers/handlers.ts),
// and the files beside this one have the words of both. The page never touches the GPU, the model or the database.

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

export type { DeviceChoice } from '../../experiments/config/spec.ts';
export type { PoolFormat, PoolReport } from './pools.ts';

/** What an experiment will need, before it is started. */
export interface RunEstimate {
  /** Name of the device that it was made for. */
  device: string;
  memory: MemoryNeed;
  /** What the device may hold in all; null where it does not say (WebGPU). */
  limitBytes: number | null;
  /** Why it cannot be run, with the numbers; null where it fits. */
  misfit: { message: string; remedy: string } | null;
  /** Null where nothing could be measured: an experiment is at work, or this one does not fit. `preparing` is a part of the total. */
  seconds: { perStep: number; preparing: number; total: number } | null;
  /** Whether the steps of a run have corrected the first short measurement. */
  corrected: boolean;
}

/** `pause` waits at the next boundary between steps; `step` trains one more and waits again; `go` goes on. */
export type Pace = 'pause' | 'step' | 'go';

/** How far an experiment is. */
export interface ExperimentProgress {
  runId: string | null;
  /** Index of the run now training, of `runs`. */
  run: number;
  runs: number;
  step: number;
  steps: number;
  phase: string;
  /** Runs that are trained beside that one. */
  beside?: { runId: string; step: number; steps: number }[];
  /** Of the whole experiment, 0..1. */
  fraction: number;
  /** Null until something has been measured. */
  etaSeconds: number | null;
}

/** Where the running experiment is; sent at most a few times a second. */
export interface ProgressEvent extends ExperimentProgress {
  type: 'progress';
  experimentId: string;
  /** Waiting between two steps until it is told to go on. */
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
  | { type: 'experiment'; summary: ExperimentSummary }
  | { type: 'loading'; what: string; done: number; total: number; etaSeconds?: number | null }
  | { type: 'warning'; message: string }
  /** An experiment that begins has brought its environment's own model. */
  | { type: 'model-opened'; model: ModelReport }
  /** An experiment that begins has opened another device. */
  | { type: 'device'; report: DeviceReport }
  | { type: 'device-lost'; message: string };
