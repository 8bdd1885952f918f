// Compares decoding steps in few kernel calls with the same steps kernel by kernel: identical tokens and log-probabilities for every kind
// of layer, every layout of matrices, and an unfolded adapter.
import { describe, expect, it } from 'vitest';
import type { Device } from '../../kernels/device.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { Engine, type EngineOptions } from '../decoder/engine.ts';
import { sharedGpu } from '../testing/devices.ts';
import { randomIds, randomWeights, SMALL } from '../testing/models.ts';
import type { GenerateRequest } from '../types.ts';

const { device: webgpu, why } = await sharedGpu();

/** Wraps the device to count calls; `fused`: whether it offers fused kernels. */
function counting(device: Device, fused: boolean) {
  const seen = { calls: 0 };
  const counted = new Proxy(device, {
    get(target, key) {
      if (key === 'fuses' && !fused) return undefined;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (key !== 'run') return value.bind(target);
      return (...args: Parameters<Device['run']>) => {
        seen.calls++;
        target.run(...args);
      };
    },
  });
  return { device: counted, seen };
}

async function generateCounted(
  fused: boolean,
  count: number,
  { kvCache, ...options }: Omit<EngineOptions, 'device' | 'weights'> & Pick<GenerateRequest, 'kvCache'>,
) {
  const { device, seen } = counting(webgpu!, fused);
  const { config } = options;
  const engine = await Engine.create({ ...options, device, weights: randomWeights(config, 7, 1.5) });
  if (options.adapter !== 'none')
    engine.setAdapterParams(engine.initialAdapterParams.map((x, i) => x + 0.1 * Math.sin(i)));
  seen.calls = 0;
  const generated = await engine.generate({
    prompts: [randomIds(config, 8, 5), randomIds(config, 9, 3)],
    sequences: Array.from({ length: count }, (_, i) => ({ prompt: i % 2, key: keyFor(5, STREAMS.rollout, i) })),
    maxNew: 6,
    temperature: 1,
    endTokens: [2],
    kvCache,
  });
  engine.free();
  return { generated, calls: seen.calls };
}

const lora = { adapter: 'lora', loraRank: 4 } as const;

describe.skipIf(!webgpu)(`a decoding step in few calls ${why}`, () => {
  it.each([
    ['qwen3', 1, { storage: 'f32', adapter: 'none' }],
    ['qwen3', 8, { storage: 'f16', adapter: 'none' }],
    ['qwen3', 64, { storage: 'q8g32', adapter: 'none' }],
    ['qwen3', 8, { storage: 'q4g32', adapter: 'none' }],
    // This storage has no fused kernels.
    ['qwen3', 8, { storage: 'q8', adapter: 'none' }],
    ['qwen3', 8, { storage: 'f32', adapter: lora, form: 'unfolded' }],
    ['qwen3', 1, { storage: 'q8g32', adapter: lora, form: 'unfolded' }],
    ['qwen3', 1, { storage: 'q4g32', adapter: lora, form: 'unfolded' }],
    ['qwen3', 64, { storage: 'f16', adapter: lora }],
    ['qwen2', 8, { storage: 'f32', adapter: 'none' }],
    ['llama', 8, { storage: 'f32', adapter: 'none' }],
    ['qwen35', 8, { storage: 'f32', adapter: 'none' }],
    ['qwen3', 1, { storage: 'f32', adapter: 'none', kvCache: 'f16' }],
    ['qwen3', 8, { storage: 'q8g32', adapter: 'none', kvCache: 'f16' }],
    ['qwen2', 8, { storage: 'f32', adapter: 'none', kvCache: 'f16' }],
    ['qwen35', 8, { storage: 'f32', adapter: 'none', kvCache: 'f16' }],
  ] as const)('%s, %i sequences, %j: same bits as with separate calls', async (name, count, options) => {
    const all = { ...options, config: SMALL[name] };
    const [few, many] = [await generateCounted(true, count, all), await generateCounted(false, count, all)];
    expect(few.generated).toEqual(many.generated);
    expect(few.calls).toBeLessThan(many.calls);
  });
});
