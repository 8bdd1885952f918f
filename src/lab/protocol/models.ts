// What the page and the worker say to each other about models: a part of the table in protocol.ts.
import type { HostNeed } from '../../engine/memory/host.ts';
import type { MemoryNeed } from '../../engine/memory/memory.ts';
import type { WeightStorage } from '../../engine/types.ts';
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import type { StoredModel } from '../../storage/model-store.ts';
import type { ModelFacts } from '../../storage/models/inspect.ts';
import type { Examination } from './examination.ts';
import type { ModelReport } from './reports.ts';

/** How the weights are to be stored on the device; `auto` is the most exact that fits. */
export type StorageChoice = 'auto' | WeightStorage;

/** Memory of a piece of work, on the device and beside it, and why it does not fit (with its numbers and what would), or null. */
export interface ModelPlan {
  /** What `auto` came to, or what was asked for. */
  storage: WeightStorage;
  need: MemoryNeed;
  host: HostNeed;
  misfit: { message: string; remedy: string } | null;
}

/** A model that could be loaded, before it is: from config.json and the headers of its weights alone. */
export interface ModelInspection extends Omit<ModelFacts, 'textBytes' | 'ignored'> {
  /** What a run's `model` would name. */
  id: string;
  /** Of its files, what would still have to be fetched. */
  missingBytes: number;
  /** Of the open device, for people. */
  device: string;
  /** What the device may hold in all; null where it does not say. */
  limitBytes: number | null;
  /** What it would take on the open device to answer, and to train as the form says; null while the form has no spec. */
  generate: ModelPlan;
  train: ModelPlan | null;
  /** Free room in the browser's store; null where it does not say. */
  roomBytes: number | null;
  /** What the store has of it, whole or in part. */
  kept: StoredModel | null;
}

/** Where a model comes from: embedded (without an id the one that the page began with), kept here, dropped files (path below the folder → file), the small model's package, or a Hub repository. */
export type ModelPlace =
  | { kind: 'embedded'; id?: string }
  | { kind: 'kept'; id: string }
  | { kind: 'files'; name: string; files: readonly { path: string; file: Blob }[] }
  | SmallPlace
  | HubPlace;

/** The small real model, from its package. */
interface SmallPlace {
  kind: 'small';
  /** Another server of npm's files. */
  endpoint?: string;
}

export interface HubPlace {
  kind: 'hub';
  repo: string;
  revision: string;
  /** A mirror that speaks the Hub's HTTP; the Hub itself where absent. */
  endpoint?: string;
  /** For gated repositories; never stored. */
  accessToken?: string;
}

/** A kept or half-kept model, and what its whole still lacks. */
export type KeptModel = StoredModel & { missingBytes: number };

export interface FactorUsage {
  files: number;
  bytes: number;
}

export interface ModelRequests {
  listModels: { params: null; result: KeptModel[] };
  /** Fetches no weights. `spec` is the form's experiment. Refusals name what was found and what is supported. */
  inspectModel: {
    params: { place: ModelPlace; storage: StorageChoice; spec: ExperimentSpec | null };
    result: ModelInspection;
  };
  /** What the folder holds, what of it is used, and what a prompt becomes; refusals are a part of it. Memory is that of `spec`. */
  examineModel: { params: { place: ModelPlace; prompt: string; spec: ExperimentSpec | null }; result: Examination };
  /** Copies dropped files, or downloads (resuming what is there), into the store; `model` events tell how far it is. What was fetched before
   *  a stop stays, for the next time. */
  keepModel: { params: { task: string; place: ModelPlace }; result: StoredModel };
  /** Makes it the lab's model; `auto` storage is chosen so that `spec` can be trained, where that can be. Refused while an experiment runs; the one before stays where this one cannot be opened. */
  useModel: {
    params: { task: string; place: ModelPlace; storage: StorageChoice; spec: ExperimentSpec | null };
    result: ModelReport;
  };
  /** Refused for the model that is used, and for one that is being written. */
  deleteModel: { params: { id: string }; result: null };
  /** Kept singular vectors of all models; null where there is no store for them. */
  factorUsage: { params: null; result: FactorUsage | null };
  /** Deletes them; refused while an experiment runs. They are made anew when they are needed. */
  clearFactors: { params: null; result: null };
}

/** How far a download, a copy or a load is. */
export interface ModelEvent {
  type: 'model';
  task: string;
  what: string;
  done: number;
  total: number;
  /** `done` and `total` are bytes. */
  inBytes: boolean;
  bytesPerSecond: number | null;
  etaSeconds: number | null;
}
