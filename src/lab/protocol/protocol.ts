// Everything that the page and the lab's worker say to each other: one typed table of requests, one union of events.
// The page never touches the GPU, the model or the database; it sends these and draws what comes back.

import type { MemoryNeed } from '../../engine/memory/memory.ts';
import type { DeviceChoice, ExperimentSpec } from '../../experiments/config/spec.ts';
import type { LabEvent, RolloutRecord } from '../../experiments/records/events.ts';
import type { KindId } from '../../experiments/records/kind.ts';
import type { TokenPiece } from '../../text/pieces.ts';
import type { BasisRequests, ExtractionEvent } from './bases.ts';
import type { ExperimentSummary } from './experiments.ts';
import type { ImportRequests, KeptEvent, KeptRequests } from './kept.ts';
import type { ModelEvent, ModelRequests } from './models.ts';
import type { OnnxRequests } from './onnx.ts';
import type { PlayEvent, PlayRequests } from './playground.ts';
import type { PoolEvent, PoolRequests } from './pools.ts';
import type { ProbeEvent, ProbeRequests } from './probe.ts';
import type { ProblemEvent, ProblemRequests, PythonEvent } from './problems.ts';
import type {
  DeviceComparison,
  DeviceReport,
  Diagnostics,
  MatmulSpeed,
  ModelReport,
  ReadyReport,
  StorageReport,
} from './reports.ts';
import type { RolloutHead } from './rollout-index.ts';
import type { RunRequests, StepReplayEvent } from './run-requests.ts';
import type { ServerRequests } from './servers.ts';

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

/** request kind → what it carries and what it answers. A refusal comes back as the LabError that was thrown. */
export interface Requests
  extends BasisRequests,
    ImportRequests,
    KeptRequests,
    ModelRequests,
    OnnxRequests,
    PlayRequests,
    PoolRequests,
    ProbeRequests,
    ProblemRequests,
    RunRequests,
    ServerRequests {
  /** Once, first. `modelUrl` is absolute and ends in a slash; the grader's port travels beside the message. */
  init: { params: { device: DeviceChoice; modelUrl: string; appVersion: string }; result: ReadyReport };
  /** Makes this device ready, and says which it is; an experiment's own `spec.device` decides when it starts. Refused while one runs. */
  setDevice: { params: { device: DeviceChoice }; result: DeviceReport };
  /** Queues an experiment under a fresh id; it is kept from its first step. Answers with its place (0 = runs now).
   *  `spec.overrides.basisFile` names a kept basis by its BasisReport.id. */
  start: { params: { id: string; spec: ExperimentSpec }; result: { position: number } };
  /** Memory and time, from the model's shape and a short measurement; trains nothing. */
  estimate: { params: { spec: ExperimentSpec }; result: RunEstimate };
  /** Answers whether the experiment is the one at work; if not, it is noted for its start. */
  pace: { params: { id: string; pace: Pace }; result: { accepted: boolean } };
  /** Goes on with a stopped, failed or interrupted experiment from its checkpoints; with `runId`, that run alone. */
  resume: { params: { id: string; runId?: string }; result: { position: number } };
  /** Stops after the kernel now running; the last checkpoint stays. */
  stop: { params: { id: string }; result: { stopped: boolean } };
  /** Rollouts of a run: of one step, or of its last kept step when `step` is null. */
  rollouts: { params: { runId: string; step: number | null }; result: { steps: number[]; rollouts: RolloutRecord[] } };
  /** Heads of a run's kept rollouts that hold `text` (empty: all), of steps `from` … `to`, in order of step and prompt. */
  rolloutHeads: { params: { runId: string; from: number; to: number; text: string }; result: RolloutHead[] };
  /** Each text cut where the loaded model's tokens meet; null where that cannot be said, or for another model's run. */
  tokenPieces: { params: { texts: string[]; modelSha256: string }; result: (TokenPiece[] | null)[] };
  storage: { params: null; result: StorageReport };
  /** What WebGPU offers here, and what was tried. */
  diagnose: { params: null; result: Diagnostics };
  /** Speed of matrix products on the open device; refused while an experiment runs. */
  measureMatmul: { params: null; result: MatmulSpeed[] };
  /** Null where there is no software adapter. */
  compareDevices: { params: null; result: DeviceComparison | null };
  /** Ends a task, an answer or a question, by the page's own name for it. Whether there was something to stop. */
  stopTask: { params: { task: string }; result: { stopped: boolean } };
}
export type RequestKind = keyof Requests;
export type Params<K extends RequestKind> = Requests[K]['params'];
export type ResultOf<K extends RequestKind> = Requests[K]['result'];

/** What answers the requests of one such table; a port may travel beside a message. */
export type HandlersOf<R extends { [K in keyof R]: { params: unknown; result: unknown } }> = {
  [K in keyof R]: (params: R[K]['params'], port?: MessagePort) => Promise<R[K]['result']>;
};

/** How a request is sent: what is asked of a kept thing is answered as its kind has it. */
export interface Ask {
  <Q extends keyof KeptRequests, K extends KindId>(
    what: Q,
    params: KeptRequests[Q]['params'] & { kind: K },
  ): Promise<KeptRequests<K>[Q]['result']>;
  <Q extends Exclude<RequestKind, keyof KeptRequests>>(
    what: Q,
    params: Params<Q>,
    transfer?: Transferable[],
  ): Promise<ResultOf<Q>>;
}

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

export interface WireError {
  name: string;
  message: string;
  remedy: string;
  stack: string | null;
}

export type ToWorker = { [K in RequestKind]: { id: number; kind: K; params: Params<K> } }[RequestKind];
export type FromWorker =
  | { kind: 'answer'; id: number; result: ResultOf<RequestKind> }
  | { kind: 'refusal'; id: number; error: WireError }
  | { kind: 'event'; event: WorkerEvent };
