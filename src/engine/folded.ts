// A trained model as plain weights: W' = W + U diag(δS) Vh (or W + B A) of every Linear, folded by the adapters themselves, so
// that what is exported is bit for bit what this device computed with.

import { type Device, readFloats } from '../kernels/device.ts';
import { knobLayout } from './config.ts';
import { LoraAdapter } from './lora-adapter.ts';
import { type Factors, SvdAdapter } from './svd-adapter.ts';
import type { AdapterSettings, ModelConfig, Tensor, Weights } from './types.ts';
import { DeviceWeights } from './weights.ts';

export interface FoldRequest {
  device: Device;
  config: ModelConfig;
  weights: Weights;
  adapter: AdapterSettings;
  /** Singular vectors of every Linear; only an svd adapter needs them. */
  factors: ReadonlyMap<string, Factors>;
  /** δS_total, [layout.total]. */
  knobs: Float32Array;
}

/** All weights of the model, under the names and in the order of `weights`; what carries no knob is the same tensor. */
export async function foldedWeights(request: FoldRequest): Promise<Map<string, Tensor>> {
  const { device, config, weights, factors, knobs } = request;
  const layout = knobLayout(config, request.adapter);
  const held = DeviceWeights.of(device, config, weights);
  let adapter: LoraAdapter | SvdAdapter | null = null;
  try {
    adapter =
      request.adapter.adapter === 'lora'
        ? new LoraAdapter(device, held, layout)
        : await SvdAdapter.load(device, held, layout, factors);
    adapter.fold(knobs);
    const result = new Map(weights);
    for (const { name, dOut, dIn } of layout.modules) {
      const key = `${name}.weight`;
      const data = await readFloats(device, held.get(key), 0, dOut * dIn);
      result.set(key, { shape: [dOut, dIn], data: Float32Array.from(data) });
    }
    return result;
  } finally {
    adapter?.free();
    held.free();
  }
}
