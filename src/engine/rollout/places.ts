// What a rollout's rows are told and where they are: settings of a batch, a row's place, tokens to follow, and how many rows the
// largest pass has.
import type { DeviceBuffer } from '../../kernels/device.ts';
import type { ActivationCache } from '../passes/activation-cache.ts';
import type { Places, RowMeta } from '../passes/layer.ts';

/** Observation tokens that go through the model at a time, where prompts and rows do not ask for more room anyway. */
const APPEND_ROWS = 256;

/** Rows of a rollout's largest forward pass: its prompts, a token of each sequence, or a piece of what is appended. `room` is what
 *  a sequence may hold after its prompt; 0 where nothing will be appended. */
export function rolloutRows(promptRows: number, count: number, room: number): number {
  return Math.max(promptRows, count, Math.min(APPEND_ROWS, count * room));
}

export interface RowsSettings {
  prompts: readonly (readonly number[])[];
  /** Each slot's prompt. */
  promptOf: readonly number[];
  /** Tokens that a row may hold after its prompt. */
  room: number;
  /** Tokens that may be sampled in a turn. */
  maxNew: number;
  temperature: number;
  endTokens: readonly number[];
  /** Whether rows will be appended to. */
  grows: boolean;
  /** Keeps what is computed, where nothing is appended. */
  activations?: ActivationCache | null;
}

/** Where a row is: how many of its tokens after the prompt are in the cache, and how many its turn has. */
export interface RowPlace {
  slot: number;
  fed: number;
  said: number;
}

/** Tokens to follow the `at` that a row has in the cache. */
export interface Appended {
  slot: number;
  at: number;
  tokens: readonly number[];
}

/** Rows as they were when they were laid out, on the host and on the device. */
export interface Laid {
  /** Their slots. */
  of: number[];
  places: Omit<Places, 'ids'>;
  meta: RowMeta;
  slots: DeviceBuffer;
  starts: DeviceBuffer;
  cacheRow: DeviceBuffer;
}
