// Everything that the page and the lab's worker say to each other: one typed table of requests, one union of events.
// The page never touches the GPU, the model or the database; it sends these and draws what comes back.
import type { ModelConfig } from '../engine/types.ts';
import type { ExperimentResult, LabEvent, RolloutRecord, RunRecord, RunStatus } from '../experiments/events.ts';
import type { DeviceChoice, ExperimentSpec } from '../experiments/spec.ts';
import type { DeviceKind } from '../kernels/device.ts';

export type { DeviceChoice } from '../experiments/spec.ts';

/** What the lab computes on, and why. */
export interface DeviceReport {
  choice: DeviceChoice;
  kind: DeviceKind;
  /** For people: 'NVIDIA H200', 'CPU (WASM SIMD)'. */
  name: string;
  isSoftware: boolean;
  /** One sentence: why this one and not the other. */
  reason: string;
}

export interface ModelReport {
  /** Folder name: `tiny-coder`. */
  id: string;
  config: ModelConfig;
  /** Hex sha-256 of model.safetensors. */
  sha256: string;
  parameters: number;
  /** Linears that carry a knob, and the elements of δS. */
  modules: number;
  knobs: number;
}

export interface StorageReport {
  /** The browser promised not to evict the lab's records. */
  persisted: boolean;
  usedBytes: number | null;
  quotaBytes: number | null;
}

export interface ReadyReport {
  device: DeviceReport;
  model: ModelReport;
  graderVersion: string;
  appVersion: string;
  storage: StorageReport;
}

/** A whole experiment as it is kept in IndexedDB; its runs are kept apart, by id. */
export interface ExperimentRecord {
  schema: 1;
  id: string;
  spec: ExperimentSpec;
  status: RunStatus;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
  device: string;
  appVersion: string;
  /** In the order in which they are trained. */
  runIds: string[];
  result: ExperimentResult | null;
  error: { message: string; remedy: string } | null;
}

export type ExperimentSummary = Omit<ExperimentRecord, 'result'> & {
  runsDone: number;
  stepsDone: number;
  stepsTotal: number;
};

export interface LoadedExperiment {
  record: ExperimentRecord;
  runs: RunRecord[];
}

/** A v_hack basis file, validated against the model's knobs. */
export interface BasisReport {
  /** Hex sha-256 of the file. */
  id: string;
  name: string;
  bytes: number;
  /** Modules in the file, of how many the model has. */
  modules: number;
  modelModules: number;
  /** Rows per module at most. */
  k: number;
  zeroRows: number;
  /** From the file's metadata, null where it has none. */
  nPairs: number | null;
  tauAxis: number | null;
  nHeldout: number | null;
  modelSha256: string | null;
  pairsSha256: string | null;
  warnings: string[];
  /** Dropped by the user, or extracted by a run. */
  origin: 'file' | 'extracted';
  createdAt: number;
}

export interface PoolReport {
  /** Content key: problems, templates and grader version. */
  id: string;
  createdAt: number;
  bytes: number;
}

/** request kind → what it carries and what it answers. A refusal comes back as the LabError that was thrown. */
export interface Requests {
  /** Once, first. `modelUrl` is absolute and ends in a slash; the grader's port travels beside the message. */
  init: { params: { device: DeviceChoice; modelUrl: string; appVersion: string }; result: ReadyReport };
  /** Makes this device ready, and says which it is; an experiment's own `spec.device` decides when it starts. Refused while one runs. */
  setDevice: { params: { device: DeviceChoice }; result: DeviceReport };
  /** Queues an experiment under a fresh id; it is kept from its first step. Answers with its place (0 = runs now).
   *  `spec.overrides.basisFile` names a kept basis by its BasisReport.id. */
  start: { params: { id: string; spec: ExperimentSpec }; result: { position: number } };
  /** Goes on with a stopped or interrupted experiment from its checkpoints. */
  resume: { params: { id: string }; result: { position: number } };
  /** Stops after the kernel now running; the last checkpoint stays. */
  stop: { params: { id: string }; result: { stopped: boolean } };
  list: { params: null; result: ExperimentSummary[] };
  load: { params: { id: string }; result: LoadedExperiment };
  delete: { params: { id: string }; result: null };
  /** Rollouts of a run: of one step, or of its last kept step when `step` is null. */
  rollouts: { params: { runId: string; step: number | null }; result: { steps: number[]; rollouts: RolloutRecord[] } };
  /** δS and δS_hack of a run's last checkpoint as safetensors; null when there is none yet. */
  exportCheckpoint: { params: { runId: string }; result: Blob | null };
  validateBasis: { params: { file: Blob; name: string }; result: BasisReport };
  /** Validates and keeps. */
  saveBasis: { params: { file: Blob; name: string }; result: BasisReport };
  listBases: { params: null; result: BasisReport[] };
  loadBasis: { params: { id: string }; result: Blob | null };
  deleteBasis: { params: { id: string }; result: null };
  listPools: { params: null; result: PoolReport[] };
  deletePool: { params: { id: string }; result: null };
  storage: { params: null; result: StorageReport };
}
export type RequestKind = keyof Requests;
export type Params<K extends RequestKind> = Requests[K]['params'];
export type Answer<K extends RequestKind> = Requests[K]['result'];

/** Where the running experiment stands; sent at most a few times a second. */
export interface ProgressEvent {
  type: 'progress';
  experimentId: string;
  runId: string | null;
  /** Index of the run now training, of `runs`. */
  run: number;
  runs: number;
  step: number;
  steps: number;
  phase: string;
  /** Of the whole experiment, 0..1. */
  fraction: number;
  /** Null until something has been measured. */
  etaSeconds: number | null;
}

/** Events of one experiment (LabEvent, tagged with its id) and of the lab itself. */
export type WorkerEvent =
  | { type: 'lab'; experimentId: string; event: LabEvent }
  | ProgressEvent
  | { type: 'experiment'; summary: ExperimentSummary }
  | { type: 'loading'; what: string; done: number; total: number }
  | { type: 'warning'; message: string }
  | { type: 'device-lost'; message: string };

export interface WireError {
  name: string;
  message: string;
  remedy: string;
  stack: string | null;
}

export type ToWorker = { [K in RequestKind]: { id: number; kind: K; params: Params<K> } }[RequestKind];
export type FromWorker =
  | { kind: 'answer'; id: number; result: Answer<RequestKind> }
  | { kind: 'refusal'; id: number; error: WireError }
  | { kind: 'event'; event: WorkerEvent };
