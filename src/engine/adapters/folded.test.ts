// Tests exporting a trained model as plain weights: for svd and LoRA in every storage of frozen parts, a plain f32 engine on the
// folded weights gives the outputs of the engine with the adapter, bit for bit; an untrained adapter gives the base's weights.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { CounterRng } from '../../rng/index.ts';
import { adapterLayout } from '../adapter-layout.ts';
import { Engine } from '../decoder/engine.ts';
import { STORAGES } from '../storage-layouts.ts';
import { sharedGpu } from '../testing/devices.ts';
import { randomWeights, SMALL } from '../testing/models.ts';
import type { AdapterSettings, ModelConfig, WeightStorage, Weights } from '../types.ts';
import { foldedWeights } from './folded.ts';
import type { Factors } from './svd.ts';

const ADAPTERS: readonly AdapterSettings[] = [
  { adapter: 'svd', loraRank: 0 },
  { adapter: 'lora', loraRank: 2 },
];
/** A model whose widths are not multiples of q8's block, and whose vocabulary exceeds a part of the table. */
const TIED: ModelConfig = { ...SMALL.qwen3, vocab: 803, hiddenSize: 21 };
const UNTIED: ModelConfig = { ...SMALL.llama, vocab: 1050 };
/** Binding limit (bytes) that splits every table in any storage. */
const TIGHT = 16_000;
const prompt = [3, 11, 7];
const completion = [1, 9, 22, 4];

function adapterParamsOf(config: ModelConfig, settings: AdapterSettings): Float32Array {
  const rng = new CounterRng([4, 4]);
  return Float32Array.from({ length: adapterLayout(config, settings).total }, () => 0.1 * rng.normal());
}

async function logprobs(engine: Engine): Promise<Float32Array> {
  const scored = await engine.score([{ prompt, completion, segment: 0 }], 1);
  const [found] = scored.logprobs;
  scored.free();
  return found;
}

/** The log-probabilities of the engine with the adapter, and its factors. */
async function held(
  device: Device,
  config: ModelConfig,
  weights: Weights,
  adapter: AdapterSettings,
  storage: WeightStorage,
  adapterParams: Float32Array,
) {
  const f32 = await Engine.create({ device, config, weights, adapter });
  const factors: ReadonlyMap<string, Factors> = adapter.adapter === 'svd' ? f32.factors : new Map();
  f32.free();
  const as = adapter.adapter === 'svd' ? factors : adapter;
  const engine = await Engine.create({ device, config, weights, adapter: as, storage });
  engine.setAdapterParams(adapterParams);
  const expected = await logprobs(engine);
  engine.free();
  return { expected, factors };
}

async function expectSame(device: Device, config: ModelConfig, adapter: AdapterSettings, storage: WeightStorage) {
  const before = device.memory().allocated;
  const weights = randomWeights(config, 5);
  const adapterParams = adapterParamsOf(config, adapter);
  const { expected, factors } = await held(device, config, weights, adapter, storage, adapterParams);
  const folded = await foldedWeights({ device, config, weights, adapter, factors, adapterParams, storage });
  expect([...folded.keys()]).toEqual([...weights.keys()]);
  const plain = await Engine.create({ device, config, weights: folded, adapter: 'none' });
  expect(await logprobs(plain)).toEqual(expected);
  plain.free();
  expect(device.memory().allocated).toBe(before);
}

const { device: gpu, why } = await sharedGpu();

describe.each(ADAPTERS)('folded weights of an adapter ($adapter)', (adapter) => {
  it.each(STORAGES)('give the outputs of the engine with frozen parts stored as %s', async (storage) => {
    for (const config of [TIED, UNTIED]) {
      for (const maxBindingBytes of [undefined, TIGHT]) {
        await expectSame(await createCpuDevice({ maxBindingBytes }), config, adapter, storage);
      }
    }
  });

  it.skipIf(!gpu)(`do so on WebGPU ${why}`, async () => {
    for (const storage of STORAGES) await expectSame(gpu!, TIED, adapter, storage);
  });

  it('are the base’s for untrained adapter parameters', async () => {
    const config = SMALL.qwen2;
    const device = await createCpuDevice();
    const weights = randomWeights(config, 6);
    const engine = await Engine.create({ device, config, weights, adapter });
    const factors = adapter.adapter === 'svd' ? engine.factors : new Map();
    const adapterParams = engine.initialAdapterParams;
    engine.free();
    expect(await foldedWeights({ device, config, weights, adapter, factors, adapterParams })).toEqual(weights);
  });
});
