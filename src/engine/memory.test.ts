// The computed need against what both devices measured: an engine must never take more than was planned for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import type { Device } from '../kernels/device.ts';
import { createWebGpuDevice } from '../kernels/webgpu/device.ts';
import { openNodeGpu } from '../lib/gpu.node.ts';
import { knobLayout } from './config.ts';
import { Engine, type EngineOptions } from './engine.ts';
import { memoryNeed, type OptimizerSize } from './memory.ts';
import { randomIds, randomWeights, SMALL } from './testing/models.ts';
import type { ModelConfig, Sequence } from './types.ts';

/** All completions run to their limit here, so that little else than the arena's slack is between the two. */
const FACTOR = 1.15;
const PROMPT = 20;
const NEW = 24;
const GROUPS = 3;
const EACH = 4;
const KINDS = ['cpu', 'webgpu'] as const;
/** Splits the tables of LARGE. */
const TIGHT = 50_000;
const LARGE: ModelConfig = { ...SMALL.qwen3, vocab: 703 };

const made = new Map<string, Device>();
let why = '';
beforeAll(async () => {
  made.set('cpu', await createCpuDevice()).set('cpu tight', await createCpuDevice({ maxBindingBytes: TIGHT }));
  try {
    const gpu = await openNodeGpu();
    made.set('webgpu', await createWebGpuDevice({ gpu }));
    made.set('webgpu tight', await createWebGpuDevice({ gpu, maxBindingBytes: TIGHT }));
  } catch (error) {
    why = String(error);
  }
});
afterAll(() => {
  for (const device of made.values()) device.destroy();
});

/** The device with a peak of its own: what was allocated on it since. */
function watched(device: Device) {
  const seen = { peak: 0 };
  const proxy = new Proxy(device, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== 'alloc') return typeof value === 'function' ? value.bind(target) : value;
      return (...args: Parameters<Device['alloc']>) => {
        const buffer = target.alloc(...args);
        seen.peak = Math.max(seen.peak, target.memory().allocated);
        return buffer;
      };
    },
  });
  return { device: proxy, seen };
}

/** A rollout and a step; the most that lay on the device meanwhile. */
async function measure(on: Device, options: Omit<EngineOptions, 'device' | 'weights'>): Promise<number> {
  const { device, seen } = watched(on);
  const { config, adapter } = options;
  expect(on.memory().allocated).toBe(0);
  const engine = await Engine.create({ ...options, device, weights: randomWeights(config, 7, 1) });
  if (adapter !== 'none') engine.setKnobs(engine.initialKnobs.map((x) => x + 0.01));
  const prompts = Array.from({ length: GROUPS }, (_, i) => randomIds(config, i + 1, PROMPT));
  await engine.generate({
    prompts,
    sequences: prompts.flatMap((_, prompt) =>
      Array.from({ length: EACH }, (_, i) => ({ prompt, key: [prompt, i] as const })),
    ),
    maxNew: NEW,
    temperature: 1,
    endTokens: [],
  });
  if (adapter !== 'none') {
    // The first half of a group are students, the second teachers: two segments, the prompt in both.
    const sequences: Sequence[] = prompts.flatMap((prompt, g) =>
      Array.from({ length: EACH }, (_, i) => ({
        prompt,
        completion: randomIds(config, 10 * g + i + 9, NEW),
        segment: i < EACH / 2 ? 0 : 1,
      })),
    );
    const batch = await engine.score(sequences, 2);
    await batch.backward(sequences.map(({ completion }) => new Float32Array(completion.length).fill(1)));
    batch.free();
  }
  engine.free();
  expect(on.memory().allocated).toBe(0);
  return seen.peak;
}

describe.each(KINDS)('the memory that a model needs on %s', (kind) => {
  const cases = [
    ...(['qwen3', 'qwen2', 'llama'] as const).map((name) => ({ name, config: SMALL[name], limit: '' })),
    { name: 'a large table', config: LARGE, limit: '' },
    { name: 'a split table', config: LARGE, limit: ' tight' },
  ];
  for (const { name, config, limit } of cases)
    for (const adapter of ['svd', 'lora', 'none'] as const)
      for (const storage of ['f32', 'f16', 'q8'] as const) {
        // Every pair of a shape and a storage once, and every adapter with every storage.
        if (name !== 'qwen3' && adapter !== (storage === 'f16' ? 'lora' : 'svd')) continue;
        it(`${name}, ${adapter}, ${storage}: no more than planned, and not much less`, async ({ skip }) => {
          const device = made.get(`${kind}${limit}`);
          if (!device) return skip(`no WebGPU adapter here: ${why}`);
          const settings = adapter === 'none' ? adapter : { adapter, loraRank: 6 };
          const peak = await measure(device, { config, adapter: settings, storage });
          const size = { sequences: GROUPS * EACH, promptTokens: PROMPT };
          const need = memoryNeed(config, {
            rollouts: [{ ...size, prompts: GROUPS, maxNew: NEW }],
            scores: adapter === 'none' ? [] : [{ ...size, prompts: 2 * GROUPS, completionTokens: NEW, segments: 2 }],
            kind,
            adapter: settings,
            storage,
            maxBindingBytes: device.limits.maxBindingBytes,
          });
          expect(peak).toBeLessThanOrEqual(need.total);
          expect(need.total / peak).toBeLessThan(FACTOR);
          const { total, largest, ...parts } = need;
          expect(Object.values(parts).reduce((sum, bytes) => sum + bytes, 0)).toBe(total);
          expect(largest).toBeLessThan(total);
          expect(largest).toBeLessThanOrEqual(device.limits.maxBindingBytes);
        });
      }
});

describe('memoryNeed', () => {
  it('grows with the group, and not with the rest of a request that is sampled in parts', () => {
    const config = SMALL.qwen3;
    const of = (sequences: number) =>
      memoryNeed(config, {
        rollouts: [{ prompts: 1, sequences, promptTokens: 10, maxNew: 100 }],
        scores: [],
        kind: 'cpu',
      }).keyValues;
    expect(of(128)).toBeGreaterThan(1.9 * of(64));
    expect(of(512)).toBe(of(128));
  });

  it('counts the optimizer where it lies, and a LoRA by its A and B', () => {
    const config = SMALL.qwen3;
    const adapter = { adapter: 'lora', loraRank: 4 } as const;
    const of = (kind: 'cpu' | 'webgpu', optimizer: OptimizerSize) =>
      memoryNeed(config, { rollouts: [], scores: [], kind, adapter, optimizer });
    const { modules, total } = knobLayout(config, adapter);
    expect(of('cpu', { vectors: 5, bases: [] }).optimizer).toBe(4 * 5 * total);
    expect(of('webgpu', { vectors: 5, bases: [] }).optimizer).toBe(0);
    expect(of('webgpu', { vectors: 5, bases: [2, 3] }).optimizer).toBe(4 * (5 + 6) * total);
    expect(of('webgpu', { vectors: 5, bases: [] }).factors).toBe(
      4 * 4 * modules.reduce((n, m) => n + m.dIn + m.dOut, 0),
    );
  });

  it('keeps activations within their budget for a batch of any size', () => {
    const config = SMALL.qwen3;
    const of = (sequences: number) =>
      memoryNeed(config, {
        rollouts: [],
        scores: [{ prompts: 1, sequences, promptTokens: 10, completionTokens: 1000, segments: 2 }],
        kind: 'cpu',
      });
    expect(of(2000).activations).toBeGreaterThan(of(1000).activations);
    expect(Number.isFinite(of(1e6).total)).toBe(true);
  });
});
