// Sizes of what a linear layer leaves behind. They stand apart from its code, which is loaded for models that have such layers alone.
import type { DeviceBuffer } from '../../kernels/device.ts';
import { deltaSizes } from '../layer-types.ts';
import type { ModelConfig } from '../types.ts';

/** Activations that a linear layer keeps for its backward: elements per row of each. */
export function deltaWidths(config: ModelConfig) {
  const { hiddenSize: d, ffn } = config;
  const { channels, keys, keyHeads, values, valueHeads } = deltaSizes(config);
  return {
    // Residual stream entering the layer, and after the mixer.
    x: d,
    xMid: d,
    h1: d,
    rstd1: 1,
    // in_proj_qkv's, before the convolution; in_proj_z's, in_proj_a's and in_proj_b's.
    mixed: channels,
    z: values,
    a: valueHeads,
    b: valueHeads,
    // Queries, then keys, of all key heads: before they are normed and after.
    qkRaw: 2 * keys,
    rstdQk: 2 * keyHeads,
    qk: 2 * keys,
    values,
    gates: 2 * valueHeads,
    // The rule's output, and its norm.
    read: values,
    rstdO: valueHeads,
    normed: values,
    o: values,
    h2: d,
    rstd2: 1,
    gate: ffn,
    up: ffn,
    act: ffn,
  };
}
/** Each buffer is [rows, …]. */
export type DeltaActivations = Record<keyof ReturnType<typeof deltaWidths>, DeviceBuffer>;
