// What attention and linear layers share: the context that a layer computes in, its Linears, and its input norm.
import type { Device, DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import type { Arena } from '../arena.ts';
import type { ModelConfig } from '../types.ts';
import { type LinearRole, linearShape, moduleName } from '../weight-names.ts';
import type { DeviceWeights } from '../weights/weights.ts';
import type { DeltaActivations } from './delta-widths.ts';
import type { GradientSink } from './gradient-sink.ts';
import type { RunMeta } from './runs.ts';

export interface LayerContext {
  device: Device;
  config: ModelConfig;
  weights: DeviceWeights;
  arena: Arena;
  /** Code of linear layers; undefined for a model without them. */
  delta?: DeltaPasses;
}

/** Forward and backward pass of a linear layer's mixer (delta.ts, delta-backward.ts). */
export interface DeltaPasses {
  forward(ctx: LayerContext, layer: number, acts: DeltaActivations, at: { rows: number; runs: RunMeta }): void;
  backward(
    ctx: LayerContext,
    layer: number,
    acts: DeltaActivations,
    at: { rows: number; runs: RunMeta; dO: DeviceBuffer; dx: DeviceBuffer },
    sink: GradientSink,
  ): void;
}

type Linear = (role: LinearRole, a: DeviceBuffer, c: DeviceBuffer, beta?: number) => void;

/** c (+)= a Wᵀ (+ bias) of one of a layer's Linears, for `rows` rows. */
export function linearOf({ device, config, weights, arena }: LayerContext, layer: number, rows: number): Linear {
  return (role, a, c, beta = 0) => {
    const [n, k] = linearShape(config, role);
    const name = moduleName(layer, role);
    weights.product(`${name}.weight`, { a, c, m: rows, n, k, beta }, arena);
    if (config.qkvBias && (role === 'q_proj' || role === 'k_proj' || role === 'v_proj')) {
      ops.biasAdd(device, { x: c, bias: weights.get(`${name}.bias`), rows, cols: n });
    }
  };
}

/** Applies the input norm: x [rows, d] → h1 [rows, d]. */
export function mixerInput(
  { device, config, weights }: LayerContext,
  layer: number,
  { x, h1, rstd1 }: Record<'x' | 'h1' | 'rstd1', DeviceBuffer>,
  rows: number,
): void {
  const w = weights.get(`model.layers.${layer}.input_layernorm.weight`);
  ops.rmsnorm(device, { x, w, y: h1, rstd: rstd1, rows, dim: config.hiddenSize, eps: config.rmsEps });
}
