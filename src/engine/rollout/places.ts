// Places of a rollout's rows: settings of a batch, a row's place, tokens to append, and how many rows the largest pass
// has.
import type { DeviceBuffer } from '../../kernels/device.ts';
import type { ActivationCache } from '../passes/activation-cache.ts';
import { layerLengths, type Places, type RowMeta } from '../passes/layer.ts';
import type { KvCache } from '../storage-layouts.ts';
import type { LayerType, ModelConfig } from '../types.ts';

/** Observation tokens that go through the model at a time, unless prompts and rows take more room anyway. */
const APPEND_ROWS = 256;

/** Rows of a rollout's largest forward pass: its prompts, a token of each sequence, or a piece of what is appended. `room` is what
 *  a sequence may hold after its prompt; 0 where nothing will be appended. */
export function rolloutRows(promptRows: number, count: number, room: number): number {
  return Math.max(promptRows, count, Math.min(APPEND_ROWS, count * room));
}

/** Elements of what a rollout's layers pass through, of each kind the longest: they use the same room in turn. */
export function rolloutLengths(config: ModelConfig, rows: number): Map<string, number> {
  const longest = new Map([['x', rows * config.hiddenSize]]);
  for (const type of new Set<LayerType>(config.layerTypes ?? ['full_attention']))
    for (const [name, length] of layerLengths(config, type, rows, rows))
      longest.set(name, Math.max(length, longest.get(name) ?? 0));
  return longest;
}

export interface RowsSettings {
  prompts: readonly (readonly number[])[];
  /** Prompt of each slot. */
  promptOf: readonly number[];
  /** Most tokens that a row may hold after its prompt. */
  room: number;
  /** Most tokens that may be sampled in a turn. */
  maxNew: number;
  temperature: number;
  endTokens: readonly number[];
  /** Whether rows may be appended to. */
  grows: boolean;
  /** f32 where it is left out. */
  kvCache?: KvCache;
  /** Cache for the computed activations, if nothing is appended. */
  activations?: ActivationCache | null;
}

/** A row's place: how many of its tokens after the prompt are in the cache, and how many its turn has. */
export interface RowPlace {
  slot: number;
  fed: number;
  said: number;
}

/** Tokens to append after the `at` tokens that a row has in the cache. */
export interface Appended {
  slot: number;
  at: number;
  tokens: readonly number[];
}

/** Rows as they were last laid out, on the host and on the device. */
export interface Laid {
  /** Slots of the rows. */
  of: number[];
  places: Omit<Places, 'ids'>;
  meta: RowMeta;
  slots: DeviceBuffer;
  starts: DeviceBuffer;
  cacheRow: DeviceBuffer;
  /** Position and row of the cache, of each row, where steps are decoded in fewer calls. */
  both: DeviceBuffer | null;
}
