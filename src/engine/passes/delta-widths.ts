// Sizes of a linear layer's activations. They are kept apart from its code, which is loaded only for models that have such layers.
import type { DeviceBuffer } from '../../kernels/device.ts';
import { deltaSizes } from '../layer-types.ts';
import type { ModelConfig } from '../types.ts';

/** Elements per row of each activation that a linear layer keeps for its backward pass. */
export function deltaWidths(config: ModelConfig) {
  const { hiddenSize: d, ffn } = config;
  const { channels, keys, keyHeads, values, valueHeads } = deltaSizes(config);
  return {
    // Residual stream entering the layer, and after the mixer.
    x: d,
    xMid: d,
    h1: d,
    rstd1: 1,
    // Outputs of in_proj_qkv (before the convolution), in_proj_z, in_proj_a and in_proj_b.
    mixed: channels,
    z: values,
    a: valueHeads,
    b: valueHeads,
    // Queries, then keys, of all key heads: qkRaw before the l2 norm, qk after it.
    qkRaw: 2 * keys,
    rstdQk: 2 * keyHeads,
    qk: 2 * keys,
    values,
    gates: 2 * valueHeads,
    // Output of the delta rule, and that output normalized.
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
