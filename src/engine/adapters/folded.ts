// A trained model as plain weights: W' = W + U diag(δS) Vh (or W + B A, or W + δW) of every Linear, folded by the adapters themselves, so
// that what is exported is bit for bit what this device computed with, unless the adapter was not folded. That holds for packed weights too: W' is folded onto W, U
// and Vh as they are stored there, and the tables of the vocabulary are written as they are read from there.

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
  /** Singular vectors of every Linear; only an svd adapter needs them. */
  factors: ReadonlyMap<string, Factors>;
  /** δS_total, [layout.total]. */
  adapterParams: Float32Array;
  /** Storage of the frozen parts on the device that trained; f32 if absent. */
  storage?: WeightStorage;
}

/** All weights of the model, under the names and in the order of `weights`; what carries no adapter parameter and was not packed is the same
 *  tensor. */
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

/** An embedding or a head [vocab, hidden] as the device reads it: packed part by part, as it is stored there. */
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
