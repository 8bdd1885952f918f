// Everything that the page and the lab's worker say to each other: one typed table of requests, one union of events.
// The page never touches the GPU, the model or the database; it sends these and draws what comes back.
import type { MemoryNeed } from '../engine/memory.ts';
import type { ModelConfig, WeightStorage } from '../engine/types.ts';
import type { CodeProblem, Grade, ProblemMode } from '../environments/code/types.ts';
import type { ExperimentResult, LabEvent, RolloutRecord, RunRecord, RunStatus } from '../experiments/events.ts';
import type { DeviceChoice, ExperimentSpec } from '../experiments/spec.ts';
import type { DeviceKind } from '../kernels/device.ts';
import type { GenerationDefaults } from '../text/generation.ts';
import type { TokenPiece } from '../text/pieces.ts';
import type { Diagnostics, MatmulSpeed } from './diagnostics.ts';
import type { PlayAnswer, PlayEvent, PlayRequest, PlayRun } from './playground.ts';
import type { BasisOrigins, BasisRequests, ExtractionEvent } from './protocol-bases.ts';
import type { ModelEvent, ModelRequests } from './protocol-models.ts';
import type { PoolEvent, PoolReport, PoolRequests } from './protocol-pools.ts';
import type { ProbeEvent, ProbeKeptEvent, ProbeRecord, ProbeRequests } from './protocol-probe.ts';
import type { ProblemEvent, ProblemRequests, PythonEvent } from './protocol-problems.ts';
import type { RerouteEvent, RerouteRequests } from './protocol-reroute.ts';
import type { RolloutHead } from './rollout-index.ts';

export type { DeviceChoice } from '../experiments/spec.ts';
export type { PoolFormat, PoolReport } from './protocol-pools.ts';

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
  /** Hex sha-256 of the weight files; where they lie on the device in fewer bits, of that and of how they lie. */
  sha256: string;
  parameters: number;
  /** Linears that carry a knob, and the elements of δS. */
  modules: number;
  knobs: number;
  /** The lab's own model, made for its problems; not one of other hands. */
  isOwn: boolean;
  /** How its weights lie on the device. */
  storage: WeightStorage;
  hasChatTemplate: boolean;
  /** How the model itself wants to be sampled. */
  defaults: GenerationDefaults;
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
  /** Its tab was closed, reloaded or crashed while it ran; cleared when it goes on. Absent in older records. */
  interrupted?: boolean;
  /** About how much is kept of it: rollouts and checkpoints. Absent in older records. */
  approxBytes?: number;
  /** A person's own words about it. The stored ones win over those of a record that is being worked on. */
  name?: string;
  tags?: string[];
  note?: string;
}

/** What a person may write about an experiment; a field that is left out stays as it is. */
export interface Annotation {
  name?: string;
  tags?: string[];
  note?: string;
  /** The offer to resume was declined. */
  interrupted?: false;
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
  /** Dropped by the user, or extracted here. */
  origin: 'file' | 'extracted';
  /** How a person had it extracted; absent for files and for what runs extract for themselves. */
  origins?: BasisOrigins;
  createdAt: number;
}

/** What a dropped zip was. */
export type Imported =
  | { kind: 'experiment'; summary: ExperimentSummary }
  | { kind: 'pool'; report: PoolReport }
  | { kind: 'probe'; record: ProbeRecord };

/** What an experiment will need, before it is started. */
export interface Estimate {
  /** Name of the device that it was made for. */
  device: string;
  memory: MemoryNeed;
  /** What the device may hold in all; null where it does not say (WebGPU). */
  limitBytes: number | null;
  /** Why it cannot be run, with the numbers; null where it fits. */
  misfit: { message: string; remedy: string } | null;
  /** Null where nothing could be measured: an experiment is at work, or this one does not fit. */
  seconds: { perStep: number; total: number } | null;
  /** Whether the steps of a run have corrected the first short measurement. */
  corrected: boolean;
}

/** `pause` waits at the next boundary between steps; `step` trains one more and waits again; `go` goes on. */
export type Pace = 'pause' | 'step' | 'go';

/** request kind → what it carries and what it answers. A refusal comes back as the LabError that was thrown. */
export interface Requests
  extends BasisRequests,
    ModelRequests,
    PoolRequests,
    ProbeRequests,
    ProblemRequests,
    RerouteRequests {
  /** Once, first. `modelUrl` is absolute and ends in a slash; the grader's port travels beside the message. */
  init: { params: { device: DeviceChoice; modelUrl: string; appVersion: string }; result: ReadyReport };
  /** Makes this device ready, and says which it is; an experiment's own `spec.device` decides when it starts. Refused while one runs. */
  setDevice: { params: { device: DeviceChoice }; result: DeviceReport };
  /** Queues an experiment under a fresh id; it is kept from its first step. Answers with its place (0 = runs now).
   *  `spec.overrides.basisFile` names a kept basis by its BasisReport.id. */
  start: { params: { id: string; spec: ExperimentSpec }; result: { position: number } };
  /** Memory and time, from the model's shape and a short measurement; trains nothing. */
  estimate: { params: { spec: ExperimentSpec }; result: Estimate };
  /** Answers whether the experiment is the one at work; if not, it is noted for its start. */
  pace: { params: { id: string; pace: Pace }; result: { accepted: boolean } };
  /** Goes on with a stopped, failed or interrupted experiment from its checkpoints; with `runId`, that run alone. */
  resume: { params: { id: string; runId?: string }; result: { position: number } };
  /** Stops after the kernel now running; the last checkpoint stays. */
  stop: { params: { id: string }; result: { stopped: boolean } };
  list: { params: null; result: ExperimentSummary[] };
  load: { params: { id: string }; result: LoadedExperiment };
  delete: { params: { id: string }; result: null };
  /** Rollouts of a run: of one step, or of its last kept step when `step` is null. */
  rollouts: { params: { runId: string; step: number | null }; result: { steps: number[]; rollouts: RolloutRecord[] } };
  /** Heads of a run's kept rollouts that hold `text` (empty: all), of steps `from` … `to`, in order of step and prompt. */
  rolloutHeads: { params: { runId: string; from: number; to: number; text: string }; result: RolloutHead[] };
  /** Each text cut where the loaded model's tokens meet; null where that cannot be said, or for another model's run. */
  tokenPieces: { params: { texts: string[]; modelSha256: string }; result: (TokenPiece[] | null)[] };
  /** δS and δS_hack of a run's last checkpoint as safetensors; null when there is none yet. */
  exportCheckpoint: { params: { runId: string }; result: Blob | null };
  validateBasis: { params: { file: Blob; name: string }; result: BasisReport };
  /** Validates and keeps. */
  saveBasis: { params: { file: Blob; name: string }; result: BasisReport };
  listBases: { params: null; result: BasisReport[] };
  loadBasis: { params: { id: string }; result: Blob | null };
  deleteBasis: { params: { id: string }; result: null };
  annotate: { params: { id: string; changes: Annotation }; result: ExperimentSummary };
  /** Everything kept of an experiment, as one zip. */
  exportExperiment: { params: { id: string }; result: Blob };
  /** A zip that exportExperiment or exportProbe made, or one with a teacher pool. */
  importArchive: { params: { file: Blob; name: string }; result: Imported };
  storage: { params: null; result: StorageReport };
  /** What WebGPU offers here, and what was tried. */
  diagnose: { params: null; result: Diagnostics };
  /** Speed of matrix products on the open device; refused while an experiment runs. */
  measureMatmul: { params: null; result: MatmulSpeed[] };
  /** Runs whose knobs the playground can fold in. */
  playRuns: { params: null; result: PlayRun[] };
  playProblems: { params: { mode: ProblemMode }; result: CodeProblem[] };
  /** Answers when all is written; `play` events tell it token by token. */
  play: { params: PlayRequest; result: PlayAnswer[] };
  stopPlay: { params: { id: string }; result: { stopped: boolean } };
  /** Grades a reader's own answer in the sandbox. */
  gradeAnswer: { params: { mode: ProblemMode; problemId: string; completion: string }; result: Grade };
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
  | ModelEvent
  | PoolEvent
  | ProbeEvent
  | ProbeKeptEvent
  | ProblemEvent
  | PythonEvent
  | RerouteEvent
  | { type: 'experiment'; summary: ExperimentSummary }
  | { type: 'loading'; what: string; done: number; total: number; etaSeconds?: number | null }
  | { type: 'warning'; message: string }
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
  | { kind: 'answer'; id: number; result: Answer<RequestKind> }
  | { kind: 'refusal'; id: number; error: WireError }
  | { kind: 'event'; event: WorkerEvent };
