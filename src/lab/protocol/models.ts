// Messages between page and worker about models.
import type { HostNeed } from '../../engine/memory/host.ts';
import type { MemoryNeed } from '../../engine/memory/memory.ts';
import type { AdapterForm, WeightStorage } from '../../engine/types.ts';
import type { StoredModel } from '../../storage/model-store.ts';
import type { ModelFacts } from '../../storage/models/inspect.ts';

/** Storage of the weights on the device; `auto` is the most exact that fits. */
export type StorageChoice = 'auto' | WeightStorage;

/** Memory of a task on the device and on the host, and why it does not fit (with its numbers and a remedy), or null. */
export interface MemoryPlan {
  /** The requested storage, or the one that `auto` chose. */
  storage: WeightStorage;
  /** Folded, if that fits. */
  form: AdapterForm;
  need: MemoryNeed;
  host: HostNeed;
  misfit: { message: string; remedy: string } | null;
}

export interface ModelPlan extends MemoryPlan {
  /** Kernel calls of a decoded token on a GPU, for any number of sequences. */
  callsPerToken: number;
}

/** A model before it is loaded, from config.json and the headers of its weights. */
export interface ModelInspection extends Omit<ModelFacts, 'textBytes' | 'ignored' | 'holes'> {
  /** Id for a run's `model`. */
  id: string;
  /** Bytes of its files that are still to be fetched. */
  missingBytes: number;
  /** Name of the open device, for display. */
  device: string;
  /** Total memory of the device; null if unknown. */
  limitBytes: number | null;
  /** Plans on the open device to answer, and to train as the form says; the latter is null while the form has no spec. */
  generate: ModelPlan;
  train: ModelPlan | null;
  /** Free room in the browser's store; null if unknown. */
  roomBytes: number | null;
  /** The model's record in the store, complete or not. */
  kept: StoredModel | null;
}

/**
 * Source of a model: embedded (without an id the one that the page started with), stored here, dropped files (path below the folder →
 * file), the small model's package, or a Hub repository.
 */
export type ModelPlace =
  | { kind: 'embedded'; id?: string }
  | { kind: 'kept'; id: string }
  | { kind: 'files'; name: string; files: readonly { path: string; file: Blob }[] }
  | SmallPlace
  | HubPlace;

/** The dropped files of a LoRA adapter: its folder's name, and the path below it → file. */
export interface AdapterFiles {
  name: string;
  files: readonly { path: string; file: Blob }[];
}

/** Source of a LoRA adapter. Only its two files are fetched from a repository. */
export type AdapterPlace = AdapterFiles | HubPlace;

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
  /** A mirror of the Hub's API; default the Hub itself. */
  endpoint?: string;
  /** For gated repositories; never stored. */
  accessToken?: string;
}

/** A stored model, complete or not, and the bytes that it lacks. */
export type KeptModel = StoredModel & { missingBytes: number };

export interface FactorUsage {
  files: number;
  bytes: number;
}

/** Progress of a download, a copy or a load. */
export interface ModelEvent {
  type: 'model';
  task: string;
  what: string;
  done: number;
  total: number;
  /** Whether `done` and `total` are bytes. */
  inBytes: boolean;
  bytesPerSecond: number | null;
  etaSeconds: number | null;
}
