// Tests rollouts whose decoding steps multiply 8-bit integers: devices agree, a sequence does not depend on others in its batch, and
// log-probabilities stay near those of exact products. Scores, and models that are not stored in 8 bits, are not affected.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { parseConfig } from '../config-reading.ts';
import { Engine } from '../decoder/engine.ts';
import { sharedGpu } from '../testing/devices.ts';
import { randomIds, randomWeights } from '../testing/models.ts';
import type { AdapterForm, GenerateRequest, WeightStorage } from '../types.ts';

const { device: webgpu, why } = await sharedGpu();

/** A model whose row lengths are multiples of 32, the size of a block. */
const CONFIG = parseConfig({
  model_type: 'qwen3',
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 16,
  intermediate_size: 96,
  vocab_size: 70,
  tie_word_embeddings: true,
  max_position_embeddings: 64,
});
const WEIGHTS = randomWeights(CONFIG, 7, 1.5);
const PROMPTS = [randomIds(CONFIG, 1, 5), randomIds(CONFIG, 2, 3)];
const REQUEST: GenerateRequest = {
  prompts: PROMPTS,
  sequences: Array.from({ length: 9 }, (_, i) => ({ prompt: i % 2, key: keyFor(4, STREAMS.rollout, i) })),
  maxNew: 10,
  temperature: 0.7,
  endTokens: [3, 6],
};

/** The device with its flags set so that decoding steps multiply integers; its kernels stay the same. */
const withIntegers = (device: Device): Device =>
  new Proxy<Device>(device, {
    get(target, key) {
      if (key === 'multipliesIntegers') return true;
      if (key === 'fuses' && target.kind === 'cpu') return (kernel: string) => kernel === 'cache_heads';
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

function open(device: Device, storage: WeightStorage = 'q8g32', form: AdapterForm = 'folded') {
  const adapter = form === 'unfolded' ? ({ adapter: 'lora', loraRank: 4 } as const) : 'none';
  return Engine.create({ device, config: CONFIG, weights: WEIGHTS, storage, adapter, form });
}

async function generate(device: Device, storage?: WeightStorage, sequences = REQUEST.sequences) {
  const engine = await open(device, storage);
  const generated = await engine.generate({ ...REQUEST, sequences, endTokens: [] });
  engine.free();
  return generated;
}

/** Largest difference of log-probabilities before the first token that differs. */
function difference(a: Awaited<ReturnType<typeof generate>>, b: typeof a): number {
  let most = 0;
  for (const [i, { tokens, logprobs }] of a.entries()) {
    const other = tokens.findIndex((token, t) => token !== b[i].tokens[t]);
    const count = other < 0 ? logprobs.length : other + 1;
    for (let t = 0; t < count && t < b[i].logprobs.length; t++)
      if (tokens[t] === b[i].tokens[t]) most = Math.max(most, Math.abs(logprobs[t] - b[i].logprobs[t]));
  }
  return most;
}

describe.skipIf(!webgpu)(`steps that multiply integers ${why}`, () => {
  const gpu = webgpu!;

  it('give the log-probabilities of the reference kernels, which are near those of exact products', async () => {
    // One sequence per prompt: for sequences that share a prompt the CPU computes equal rows once, in other steps.
    const two = REQUEST.sequences.slice(0, 2);
    const ours = await generate(withIntegers(gpu), 'q8g32', two);
    const reference = await generate(withIntegers(await createCpuDevice({ simd: false })), 'q8g32', two);
    const exact = await generate(gpu, 'q8g32', two);
    expect(difference(ours, reference)).toBeLessThan(1e-4);
    expect(difference(ours, exact)).toBeGreaterThan(1e-3);
    expect(difference(ours, exact)).toBeLessThan(0.5);
  });

  it('give a sequence the same tokens alone and in a batch', async () => {
    const engine = await open(withIntegers(gpu));
    const together = await engine.generate(REQUEST);
    for (const [i, sequence] of REQUEST.sequences.entries())
      expect(await engine.generate({ ...REQUEST, sequences: [sequence] })).toEqual([together[i]]);
    engine.free();
  });

  it('do not occur in models that are not stored in 8 bits', async () => {
    for (const storage of ['f32', 'f16', 'q4g32'] as const)
      expect(await generate(withIntegers(gpu), storage), storage).toEqual(await generate(gpu, storage));
  });

  it('do not change scores and gradients, and are reported by roundsSteps', async () => {
    const [rounding, plain] = [
      await open(withIntegers(gpu), 'q8g32', 'unfolded'),
      await open(gpu, 'q8g32', 'unfolded'),
    ];
    expect([rounding.roundsSteps, plain.roundsSteps]).toEqual([true, false]);
    const sequences = PROMPTS.map((prompt) => ({ prompt, completion: [1, 2, 3], segment: 0 }));
    const scored = async (engine: Engine) => {
      engine.setAdapterParams(engine.initialAdapterParams.map((x) => x + 0.01));
      await engine.generate(REQUEST);
      const batch = await engine.score(sequences, 1);
      const gradient = await batch.backward(sequences.map(() => new Float32Array(3).fill(1)));
      batch.free();
      return [batch.logprobs, gradient];
    };
    expect(await scored(rounding)).toEqual(await scored(plain));
    const halved = await open(withIntegers(gpu), 'f16', 'unfolded');
    expect(halved.roundsSteps).toBe(false);
    for (const engine of [rounding, plain, halved]) engine.free();
  });
});
