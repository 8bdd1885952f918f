// What the page and the worker say to each other about models.
import type { HostNeed } from '../../engine/memory/host.ts';
import type { MemoryNeed } from '../../engine/memory/memory.ts';
import type { WeightStorage } from '../../engine/types.ts';
import type { StoredModel } from '../../storage/model-store.ts';
import type { ModelFacts } from '../../storage/models/inspect.ts';

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
