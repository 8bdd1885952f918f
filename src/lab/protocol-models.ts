// What the page and the worker say to each other about models: a part of the table in protocol.ts.
import type { MemoryNeed } from '../engine/memory.ts';
import type { ModelConfig } from '../engine/types.ts';
import type { StoredModel } from '../storage/models/store.ts';
import type { ModelReport } from './protocol.ts';

/** A model that could be loaded, before it is: from config.json and the headers of its weights alone. */
export interface ModelInspection {
  config: ModelConfig;
  /** Of all files, and of those that would still have to be fetched. */
  bytes: number;
  missingBytes: number;
  parameters: number;
  /** What it would take on the open device to answer (`generate`) and to train one step of the present form's size (`train`). */
  generate: MemoryNeed;
  train: MemoryNeed;
  /** Free room in the browser's store; null where it does not say. */
  roomBytes: number | null;
  /** Whether the folder has a tokenizer and a chat template. */
  hasTokenizer: boolean;
  hasChatTemplate: boolean;
  warnings: string[];
}

/** Where a model comes from: embedded, kept here, dropped files (path below the folder → file), or a Hub repository. */
export type ModelPlace =
  | { kind: 'embedded' }
  | { kind: 'kept'; id: string }
  | { kind: 'files'; name: string; files: { path: string; file: Blob }[] }
  | { kind: 'hub'; repo: string; revision: string };

export interface ModelRequests {
  listModels: { params: null; result: StoredModel[] };
  /** Fetches no weights. Refusals name what was found and what is supported. */
  inspectModel: { params: { place: ModelPlace }; result: ModelInspection };
  /** Copies dropped files, or downloads (resuming what is there), into the store; `model` events tell how far it is. */
  keepModel: { params: { task: string; place: ModelPlace }; result: StoredModel };
  /** Ends a download or a load; what was fetched stays, for the next time. */
  stopModel: { params: { task: string }; result: { stopped: boolean } };
  /** Makes it the lab's model. Refused while an experiment runs; the one before stays where this one cannot be opened. */
  useModel: { params: { task: string; place: ModelPlace }; result: ModelReport };
  deleteModel: { params: { id: string }; result: null };
}

/** How far a download, a copy or a load is. */
export interface ModelEvent {
  type: 'model';
  task: string;
  what: string;
  done: number;
  total: number;
  bytesPerSecond: number | null;
  etaSeconds: number | null;
}
