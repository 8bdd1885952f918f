// Types that describe a rollout's rows (settings of a batch, progress of a row, tokens to append), and the size of its largest pass.
import type { DeviceBuffer } from '../../kernels/device.ts';
import type { ActivationCache } from '../passes/activation-cache.ts';
import { layerLengths, type RowInputs, type RowMeta } from '../passes/layer.ts';
import type { KvCache } from '../storage-layouts.ts';
import type { LayerType, ModelConfig } from '../types.ts';

/** Observation tokens that go through the model at a time, unless prompts or decoding need more rows anyway. */
const APPEND_ROWS = 256;

/** Rows of a rollout's largest forward pass: its prompts, one token of each sequence, or a piece of appended tokens. `room`: most
 *  tokens after the prompt, or 0 if nothing will be appended. */
export function rolloutRows(promptRows: number, count: number, room: number): number {
  return Math.max(promptRows, count, Math.min(APPEND_ROWS, count * room));
}

/** Elements of each scratch buffer, which all layers of a rollout reuse: the most that any layer needs. */
export function rolloutLengths(config: ModelConfig, rows: number): Map<string, number> {
  const longest = new Map([['x', rows * config.hiddenSize]]);
  for (const type of new Set<LayerType>(config.layerTypes ?? ['full_attention']))
    for (const [name, length] of layerLengths(config, type, rows, rows))
      longest.set(name, Math.max(length, longest.get(name) ?? 0));
  return longest;
}

export interface RowsSettings {
  prompts: readonly (readonly number[])[];
  /** Index of each slot's prompt. */
  promptOf: readonly number[];
  /** Most tokens of a row after its prompt. */
  room: number;
  /** Most tokens that may be sampled in a turn. */
  maxNew: number;
  temperature: number;
  endTokens: readonly number[];
  /** Whether rows may be appended to. */
  grows: boolean;
  /** Default: f32. */
  kvCache?: KvCache;
  /** Cache for the computed activations, if nothing is appended. */
  activations?: ActivationCache | null;
}

/** A row's progress: `fed` tokens after the prompt are in the cache, and its turn has `sampled` sampled tokens. */
export interface RowPlace {
  slot: number;
  fed: number;
  sampled: number;
}

/** Tokens to append to a row that has `at` tokens after its prompt in the cache. */
export interface Appended {
  slot: number;
  at: number;
  tokens: readonly number[];
}

/** The current layout of the rows to decode, on the host and on the device. */
export interface RowLayout {
  /** Slot of each row. */
  of: number[];
  places: Omit<RowInputs, 'ids'>;
  meta: RowMeta;
  slots: DeviceBuffer;
  starts: DeviceBuffer;
  cacheRow: DeviceBuffer;
  /** Position and cache row of each row, if steps are decoded in fewer calls. */
  both: DeviceBuffer | null;
}
