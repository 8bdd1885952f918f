// Compares the memory plan with measurements on both devices: an engine must never take more than planned.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { adapterLayout } from '../adapter-layout.ts';
import type { Factors } from '../adapters/svd.ts';
import { Engine, type EngineOptions } from '../decoder/engine.ts';
import { sequenceOf, trainedTokens } from '../objectives/documents.ts';
import { type KvCache, STORAGES } from '../storage-layouts.ts';
import { KINDS, openDevices, type TestDevices } from '../testing/devices.ts';
import { randomIds, randomWeights, SMALL } from '../testing/models.ts';
import { QWEN3_26M } from '../testing/qwen3.ts';
import type { DistillPair, ModelConfig, Sequence } from '../types.ts';
import { memoryNeed, type OptimizerSize } from './memory.ts';
import { kernelParts, sumOf } from './passes.ts';

/** Largest ratio of plan to measurement. All completions run to their limit here, so they differ by little but the arena's slack. */
const FACTOR = 1.15;
const PROMPT = 20;
const NEW = 24;
const GROUPS = 3;
const EACH = 4;
/** Binding limit (bytes) that splits the vocabulary tables of LARGE. */
const TIGHT = 50_000;
const LARGE: ModelConfig = { ...SMALL.qwen3, vocab: 703 };

let devices: TestDevices;
beforeAll(async () => {
  devices = await openDevices(TIGHT);
});
afterAll(() => devices.destroy());

/** Wraps the device and records the peak of later allocations. */
function watched(device: Device) {
  const before = device.memory().allocated;
  const seen = { peak: 0, now: () => device.memory().allocated - before };
  const proxy = new Proxy(device, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== 'alloc') return typeof value === 'function' ? value.bind(target) : value;
      return (...args: Parameters<Device['alloc']>) => {
        const buffer = target.alloc(...args);
        seen.peak = Math.max(seen.peak, seen.now());
        return buffer;
      };
    },
  });
  return { device: proxy, seen };
}

/** Factors computed on the CPU, when the SVD is not to be part of the measurement. */
async function factorsOf(config: ModelConfig): Promise<ReadonlyMap<string, Factors>> {
  const engine = await Engine.create({ device: await createCpuDevice(), config, weights: randomWeights(config, 7, 1) });
  engine.free();
  return engine.factors;
}

/** Runs a rollout and a training step, and returns the peak device memory. */
async function measure(
  on: Device,
  { kvCache, ...options }: Omit<EngineOptions, 'device' | 'weights'> & { kvCache?: KvCache },
): Promise<number> {
  const { device, seen } = watched(on);
  const { config, adapter } = options;
  const engine = await Engine.create({ ...options, device, weights: randomWeights(config, 7, 1) });
  if (adapter !== 'none') engine.setAdapterParams(engine.initialAdapterParams.map((x) => x + 0.01));
  const prompts = Array.from({ length: GROUPS }, (_, i) => randomIds(config, i + 1, PROMPT));
  await engine.generate({
    prompts,
    sequences: prompts.flatMap((_, prompt) =>
      Array.from({ length: EACH }, (_, i) => ({ prompt, key: [prompt, i] as const })),
    ),
    maxNew: NEW,
    temperature: 1,
    endTokens: [],
    willScore: true,
    kvCache,
  });
  if (adapter !== 'none') {
    const isFull = typeof adapter === 'object' && 'adapter' in adapter && adapter.adapter === 'full';
    // The first half of a group is the student's segment, the second the teacher's; the prompt is in both.
    const sequences: Sequence[] = prompts.flatMap((prompt, g) =>
      Array.from({ length: EACH }, (_, i) => ({
        prompt,
        completion: randomIds(config, 10 * g + i + 9, NEW),
        segment: i < EACH / 2 || isFull ? 0 : 1,
      })),
    );
    const batch = await engine.score(sequences, 2);
    await batch.backward(sequences.map(({ completion }) => new Float32Array(completion.length).fill(1)));
    batch.free();
  }
  // The CPU device packs matrices for repeated decoding, outside the engine's allocations.
  seen.peak = Math.max(seen.peak, seen.now());
  engine.free();
  expect(seen.now()).toBe(0);
  return seen.peak;
}

describe.each(KINDS)('memory of a model on %s', (kind) => {
  const cases = [
    ...(['qwen3', 'qwen2', 'llama', 'qwen35'] as const).map((name) => ({ name, config: SMALL[name], limit: '' })),
    { name: 'a large table', config: LARGE, limit: '' },
    { name: 'a split table', config: LARGE, limit: ' tight' },
  ];
  for (const { name, config, limit } of cases)
    for (const adapter of ['svd', 'lora', 'none', 'full'] as const)
      for (const storage of STORAGES) {
        // Training all weights needs whole tables in f32.
        if (adapter === 'full' && (storage !== 'f32' || limit !== '')) continue;
        // Tests every shape with every storage once, and every adapter with every storage.
        if (name !== 'qwen3' && adapter !== 'full' && adapter !== (storage === 'f16' ? 'lora' : 'svd')) continue;
        // On WebGPU most time goes to compilation and the plan is the same code, so only the split table is tested fully.
        const isPlain = storage === 'f32' || storage === 'q8';
        if (kind === 'webgpu' && !isPlain && (name === 'qwen3' ? adapter !== 'svd' : limit === '')) continue;
        it(`${name}, ${adapter}, ${storage}: at most the plan, and not much less`, async ({ skip }) => {
          const device = devices.of(kind, limit !== '');
          if (!device) return skip(`no WebGPU adapter here: ${devices.why}`);
          const settings = adapter === 'none' ? adapter : { adapter, loraRank: 6 };
          const peak = await measure(device, { config, adapter: settings, storage });
          const size = { sequences: GROUPS * EACH, promptTokens: PROMPT };
          const prompts = adapter === 'full' ? GROUPS : 2 * GROUPS;
          const need = memoryNeed(config, {
            rollouts: [{ ...size, prompts: GROUPS, maxNew: NEW, willScore: true }],
            scores: adapter === 'none' ? [] : [{ ...size, prompts, completionTokens: NEW, segments: 2 }],
            kind,
            adapter: settings,
            storage,
            maxBindingBytes: device.limits.maxBindingBytes,
          });
          // Buffers that kernels keep for themselves were allocated before and are not measured here.
          const scored = prompts * (PROMPT - 1) + GROUPS * EACH * NEW;
          const kept = kind === 'webgpu' && adapter !== 'none' ? sumOf(kernelParts(config, scored)).bytes : 0;
          expect(peak + kept).toBeLessThanOrEqual(need.total);
          expect(need.total / (peak + kept)).toBeLessThan(FACTOR);
          const { total, largest, ...parts } = need;
          expect(Object.values(parts).reduce((sum, bytes) => sum + bytes, 0)).toBe(total);
          expect(largest).toBeLessThan(total);
          expect(largest).toBeLessThanOrEqual(device.limits.maxBindingBytes);
        });
      }
});

describe.each(KINDS)('memory of an unfolded adapter on %s', (kind) => {
  const cases = (['lora', 'blocks', 'svd'] as const).flatMap((adapter) =>
    STORAGES.map((storage) => ({ adapter, storage })),
  );
  it.for(cases)('$adapter, $storage: at most the plan, and not much less', async ({ adapter, storage }, { skip }) => {
    const device = devices.of(kind);
    if (!device) return skip(`no WebGPU adapter here: ${devices.why}`);
    const config = SMALL.qwen3;
    const settings = { adapter, loraRank: 3 };
    const peak = await measure(device, { config, adapter: settings, storage, form: 'unfolded' });
    const size = { sequences: GROUPS * EACH, promptTokens: PROMPT };
    const work = {
      rollouts: [{ ...size, prompts: GROUPS, maxNew: NEW, willScore: true }],
      scores: [{ ...size, prompts: 2 * GROUPS, completionTokens: NEW, segments: 2 }],
      kind,
      adapter: settings,
      storage,
      maxBindingBytes: device.limits.maxBindingBytes,
    };
    const need = memoryNeed(config, { ...work, form: 'unfolded' });
    expect(peak).toBeLessThanOrEqual(need.total);
    expect(need.total / peak).toBeLessThan(FACTOR);
    expect(need.total).toBeLessThan(memoryNeed(config, work).total);
  });
});

describe.each(KINDS)('memory of an f16 key/value cache on %s', (kind) => {
  it.for(['qwen3', 'qwen35'] as const)('%s: half, at most the plan, and not much less', async (name, { skip }) => {
    const device = devices.of(kind);
    if (!device) return skip(`no WebGPU adapter here: ${devices.why}`);
    const config = SMALL[name];
    const size = { sequences: GROUPS * EACH, promptTokens: PROMPT };
    const needWith = (kvCache: KvCache) =>
      memoryNeed(config, {
        rollouts: [{ ...size, prompts: GROUPS, maxNew: NEW, willScore: true, kvCache }],
        scores: [{ ...size, prompts: 2 * GROUPS, completionTokens: NEW, segments: 2 }],
        kind,
        maxBindingBytes: device.limits.maxBindingBytes,
      });
    const [half, whole] = [needWith('f16'), needWith('f32')];
    const peak = await measure(device, { config, adapter: { adapter: 'svd', loraRank: 0 }, kvCache: 'f16' });
    const scored = 2 * GROUPS * (PROMPT - 1) + GROUPS * EACH * NEW;
    const kept = kind === 'webgpu' ? sumOf(kernelParts(config, scored)).bytes : 0;
    expect(peak + kept).toBeLessThanOrEqual(half.total);
    expect(half.total / (peak + kept)).toBeLessThan(FACTOR);
    const rows = GROUPS * PROMPT + GROUPS * EACH * NEW;
    const attending =
      name === 'qwen3' ? config.layers : config.layerTypes!.filter((type) => type === 'full_attention').length;
    expect(whole.keyValues - half.keyValues).toBe(2 * attending * 2 * rows * config.kvHeads * config.headDim);
    // Activations are not kept for scoring either.
    expect(half.activations).toBeLessThanOrEqual(whole.activations);
  });
});

describe.each(KINDS)('memory of episodes on %s', (kind) => {
  it.for(['f32', 'q8'] as const)('%s: at most the plan, and not much less', async (storage, { skip }) => {
    const on = devices.of(kind);
    if (!on) return skip(`no WebGPU adapter here: ${devices.why}`);
    const config = SMALL.qwen3;
    const { device, seen } = watched(on);
    const adapter = await factorsOf(config);
    const engine = await Engine.create({ device, config, weights: randomWeights(config, 7, 1), storage, adapter });
    engine.setAdapterParams(engine.initialAdapterParams.map((x) => x + 0.01));
    // Three turns of 8 tokens with observations of 5 tokens between them: 34 tokens.
    const [maxNew, shown, maxTurns] = [8, 5, 3];
    const maxTokens = maxTurns * maxNew + (maxTurns - 1) * shown;
    const prompts = Array.from({ length: GROUPS }, (_, i) => randomIds(config, i + 1, 2));
    const sequences = prompts.flatMap((_, prompt) => Array.from({ length: EACH }, () => prompt));
    const found = await engine.generateEpisodes({
      prompts,
      sequences: sequences.map((prompt, i) => ({ prompt, key: (turn) => [i, turn] as const })),
      maxNew,
      maxTokens,
      maxTurns,
      temperature: 1,
      endTokens: [],
      act: async (episode, { turn }) => randomIds(config, episode + turn, shown),
    });
    const batch = await engine.score(
      found.map(({ tokens: completion, mask }, i) => ({ prompt: prompts[sequences[i]], completion, mask, segment: 0 })),
      1,
    );
    await batch.backward(found.map(({ logprobs }) => new Float32Array(logprobs.length).fill(1)));
    batch.free();
    engine.free();
    const size = { prompts: GROUPS, sequences: GROUPS * EACH, promptTokens: 2 };
    const need = memoryNeed(config, {
      rollouts: [{ ...size, maxNew, maxTokens }],
      scores: [{ ...size, completionTokens: maxTokens, trainedTokens: maxTurns * maxNew, segments: 1 }],
      kind,
      storage,
      maxBindingBytes: device.limits.maxBindingBytes,
    });
    expect(found.every(({ tokens }) => tokens.length === maxTokens)).toBe(true);
    expect(seen.peak).toBeLessThanOrEqual(need.total);
    expect(need.total / seen.peak).toBeLessThan(FACTOR);
  });
});

/** Length of the demonstration before the teacher's prompt, tokens. */
const SHOWN = 60;

describe.each(KINDS)('memory of documents and distillation on %s', (kind) => {
  it.for([
    { name: 'whole', config: SMALL.qwen3, limit: '', storage: 'f32' },
    { name: 'split and packed', config: LARGE, limit: ' tight', storage: 'q8' },
  ] as const)('$name: at most the plan, and not much less', async ({ config: small, limit, storage }, { skip }) => {
    const own = devices.of(kind, limit !== '');
    if (!own) return skip(`no WebGPU adapter here: ${devices.why}`);
    const config = { ...small, maxPositions: 128 };
    const common = { rollouts: [], kind, storage, maxBindingBytes: own.limits.maxBindingBytes };
    const adapter = await factorsOf(config);
    const measured = async (work: (engine: Engine) => Promise<void>) => {
      const { device, seen } = watched(own);
      const engine = await Engine.create({ config, device, storage, adapter, weights: randomWeights(config, 7, 1) });
      engine.setAdapterParams(engine.initialAdapterParams.map((x) => x + 0.01));
      await work(engine);
      engine.free();
      return seen.peak;
    };
    const expectPlanned = (peak: number, { total }: { total: number }) => {
      expect(peak).toBeLessThanOrEqual(total);
      expect(total / peak).toBeLessThan(FACTOR);
    };
    const LENGTH = 100;
    const documents = [1, 2, 3].map((seed) => ({
      ids: randomIds(config, seed, LENGTH),
      mask: Array.from({ length: LENGTH }, (_, t) => t === 1 || t % 3 === 0),
    }));
    const nll = await measured(async (engine) => {
      const batch = await engine.score(documents.map(sequenceOf), 1);
      await batch.backward([...batch.logprobs]);
      batch.free();
    });
    const written = { completionTokens: LENGTH - 1, trainedTokens: trainedTokens(documents[0]) };
    const docs = { prompts: 3, sequences: 3, promptTokens: 1, ...written, segments: 1 };
    expectPlanned(nll, memoryNeed(config, { ...common, scores: [docs] }));

    const pairs = Array.from({ length: GROUPS }, (_, g): DistillPair => {
      const [prompt, completion] = [randomIds(config, g, PROMPT), randomIds(config, 9 + g, NEW)];
      const shown = [...randomIds(config, 20 + g, SHOWN), ...prompt];
      return { student: { prompt, completion, segment: 0 }, teacher: { prompt: shown, completion } };
    });
    const distilled = await measured(async (engine) => {
      const batch = await engine.distill(pairs, 1);
      await batch.backward([...batch.kl]);
      batch.free();
    });
    const student = { prompts: GROUPS, sequences: GROUPS, promptTokens: PROMPT, completionTokens: NEW, segments: 1 };
    const size = { ...student, teacherPrompts: GROUPS, teacherPromptTokens: PROMPT + SHOWN };
    expectPlanned(distilled, memoryNeed(config, { ...common, scores: [], distills: [size] }));
  });
});

describe('memoryNeed', () => {
  it('grows with the group, but not with a request beyond one batch', () => {
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

  it('counts the optimizer on its device, and a LoRA by A and B', () => {
    const config = SMALL.qwen3;
    const adapter = { adapter: 'lora', loraRank: 4 } as const;
    const of = (kind: 'cpu' | 'webgpu', optimizer: OptimizerSize) =>
      memoryNeed(config, { rollouts: [], scores: [], kind, adapter, optimizer });
    const { modules, total } = adapterLayout(config, adapter);
    expect(of('cpu', { vectors: 5, bases: [] }).optimizer).toBe(4 * 5 * total);
    expect(of('webgpu', { vectors: 5, bases: [] }).optimizer).toBe(0);
    expect(of('webgpu', { vectors: 5, bases: [2, 3] }).optimizer).toBe(4 * (5 + 6) * total);
    expect(of('webgpu', { vectors: 5, bases: [] }).factors).toBe(
      4 * 4 * modules.reduce((n, m) => n + m.dIn + m.dOut, 0),
    );
  });

  it('keeps only the inputs of further layers when activations exceed their budget', () => {
    const score = { prompts: 1, sequences: 1000, promptTokens: 10, completionTokens: 1000, segments: 2 };
    const of = (layers: number) =>
      memoryNeed({ ...SMALL.qwen3, layers }, { rollouts: [], scores: [score], kind: 'cpu', adapter: 'none' })
        .activations;
    expect(of(4) - of(3)).toBe(4 * (9 + 1000 * 1000) * SMALL.qwen3.hiddenSize);
  });

  it('lets a step of 26 M parameters and 64 × (40 + 48) tokens keep the activations of every layer', () => {
    const score = { prompts: 8, sequences: 64, promptTokens: 40, completionTokens: 48, segments: 1 };
    const of = (layers: number) =>
      memoryNeed({ ...QWEN3_26M, layers }, { kind: 'cpu', rollouts: [], scores: [score] }).activations;
    // With recomputation a layer would add only its input: 7 of 100 MB.
    const rows = 8 * 39 + 64 * 48;
    expect(of(8) - of(4)).toBeGreaterThan(4 * 4 * rows * 8 * QWEN3_26M.hiddenSize);
  });
});
