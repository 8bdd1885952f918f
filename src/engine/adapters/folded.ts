// Exports a trained model as plain weights: W' = W + U diag(δS) Vh (or W + B A, or W + δW) of every Linear, folded by the adapters
// themselves, so that the export equals what this device computed with, bit for bit, unless the adapter was unfolded. This holds for packed
// weights too: W, U, Vh and the vocabulary tables enter with their rounded values.

import { type Device, readFloats } from '../../kernels/device.ts';
import { adapterLayout, weightOf } from '../adapter-layout.ts';
import type { AdapterSettings, ModelConfig, Tensor, WeightStorage, Weights } from '../types.ts';
import { isVocab } from '../weight-names.ts';
import { storedValues } from '../weights/pack-matrix.ts';
import { vocabLayout } from '../weights/vocab-table.ts';
import { DeviceWeights } from '../weights/weights.ts';
import type { LinearAdapter, WholeAdapter } from './adapter.ts';
import type { Factors } from './svd.ts';
import { wrapped } from './wrapped.ts';

interface FoldRequest {
  device: Device;
  config: ModelConfig;
  weights: Weights;
  adapter: AdapterSettings;
  /** Singular vectors of every Linear, needed only for an svd adapter. */
  factors: ReadonlyMap<string, Factors>;
  /** [layout.total] */
  adapterParams: Float32Array;
  /** Storage of the frozen parts during training; default: f32. */
  storage?: WeightStorage;
}

/** All weights of the model, with the names and in the order of `weights`. Tensors that have no adapter and were not packed are passed
 *  through. */
export async function foldedWeights(request: FoldRequest): Promise<Map<string, Tensor>> {
  const { device, config, weights, factors, adapterParams, storage = 'f32' } = request;
  const layout = adapterLayout(config, request.adapter);
  const held = await DeviceWeights.load(device, config, weights, { storage });
  let adapter: LinearAdapter | WholeAdapter | null = null;
  try {
    const settings = request.adapter.adapter === 'svd' ? factors : request.adapter;
    adapter = await wrapped({ device, config, weights, adapter: settings }, held);
    adapter?.fold(adapterParams);
    held.centre(-1);
    const result = new Map(weights);
    for (const [name, { shape, data }] of weights) {
      if (storage === 'f32' || !isVocab(name)) continue;
      result.set(name, { shape, data: storedTable(device, config, data, storage, name) });
    }
    for (const module of layout.modules) {
      const key = weightOf(module);
      const { shape } = weights.get(key)!;
      const data = await readFloats(device, held.get(key), 0, module.dOut * module.dIn);
      result.set(key, { shape, data: Float32Array.from(data) });
    }
    return result;
  } finally {
    adapter?.free();
    held.free();
  }
}

/** An embedding or head [vocab, hidden] with the device's rounded values: packed and unpacked part by part. */
function storedTable(
  { limits }: Device,
  { vocab, hiddenSize }: ModelConfig,
  data: Tensor['data'],
  storage: WeightStorage,
  name: string,
): Float32Array {
  const table = new Float32Array(data.length);
  const { layout, parts } = vocabLayout(vocab, hiddenSize, storage, limits.maxBindingBytes);
  for (const { first, count } of parts) {
    const rows = Float32Array.from(data.subarray(first * hiddenSize, (first + count) * hiddenSize));
    table.set(storedValues(rows, layout, name), first * hiddenSize);
  }
  return table;
}
