// Number of kernel calls for one token of a decoding step. On a fast GPU a token takes at least this number times the cost of a call, which
// bounds a model's speed there. It depends on the kinds and number of layers and not on their width, so the calls are counted on a narrow
// model with the same layers.
import { Engine } from '../../engine/decoder/engine.ts';
import { initialWeights } from '../../engine/decoder/trainer.ts';
import type { AdapterForm, AdapterSettings, ModelConfig, WeightStorage } from '../../engine/types.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';

const NARROW = { hiddenSize: 16, heads: 2, kvHeads: 2, headDim: 8, ffn: 16, vocab: 32, maxPositions: 16 };

/** A model with the same layers and hardly any width. */
function narrowed(config: ModelConfig): ModelConfig {
  const { delta, rotaryDim } = config;
  return {
    ...config,
    ...NARROW,
    ropeScaling: undefined,
    ...(rotaryDim === undefined ? {} : { rotaryDim: 4 }),
    ...(delta ? { delta: { ...delta, keyHeads: 1, valueHeads: 2, keyDim: 8, valueDim: 8 } } : {}),
  };
}

/** Calls of one decoding step on WebGPU, for any number of sequences. A folded adapter adds none. */
export async function callsPerToken(
  config: ModelConfig,
  adapter: AdapterSettings['adapter'] = 'lora',
  form: AdapterForm = 'folded',
  storage: WeightStorage = 'f32',
): Promise<number> {
  const cpu = await createCpuDevice();
  let calls = 0;
  const counting = new Proxy<Device>(cpu, {
    get(target, key) {
      // On the CPU the engine skips work that a GPU does; the GPU's calls are counted.
      if (key === 'kind') return 'webgpu';
      if (key === 'fuses' || key === 'readsPacked') return () => true;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (key !== 'run') return value.bind(target);
      return (...args: Parameters<Device['run']>) => {
        calls++;
        target.run(...args);
      };
    },
  });
  const shape = narrowed(config);
  // The calls are the same for any folded adapter, and factoring takes time.
  const settings = { adapter: form === 'folded' ? 'lora' : adapter, loraRank: 4 };
  const weights = initialWeights(shape, 1);
  const engine = await Engine.create({ device: counting, config: shape, weights, adapter: settings, form, storage });
  // The engine skips an untrained adapter beside the weights.
  engine.setAdapterParams(engine.initialAdapterParams.map((x) => x + 0.01));
  const callsFor = async (maxNew: number): Promise<number> => {
    calls = 0;
    const key = keyFor(1, STREAMS.rollout, 0, 0);
    await engine.generate({
      prompts: [[1, 2]],
      sequences: [{ prompt: 0, key }],
      maxNew,
      temperature: 1,
      endTokens: [],
    });
    return calls;
  };
  try {
    return (await callsFor(4)) - (await callsFor(3));
  } finally {
    engine.free();
    cpu.destroy();
  }
}
