// Compares the engine on WebGPU (Dawn in Node; a software adapter suffices) with the CPU.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import type { Device } from '../kernels/device.ts';
import { keyFor, STREAMS } from '../rng/index.ts';
import { Engine } from './decoder/engine.ts';
import { initialWeights, Trainer } from './decoder/trainer.ts';
import { sharedGpu } from './testing/devices.ts';
import { randomIds, randomWeights, relativeError, SMALL } from './testing/models.ts';
import type { Sequence } from './types.ts';

const config = SMALL.qwen3;
const sequences: Sequence[] = [
  { prompt: randomIds(config, 1, 6), completion: randomIds(config, 2, 5), segment: 0 },
  { prompt: randomIds(config, 1, 6), completion: randomIds(config, 3, 9), segment: 1 },
  { prompt: randomIds(config, 4, 1), completion: randomIds(config, 5, 3), segment: 1 },
];
const coef = sequences.map(({ completion }, i) => Float32Array.from(completion, (_, t) => Math.sin(i + t)));

const { device: webgpu, why } = await sharedGpu();

/** Counts a method's calls; `stop` restores the object. */
function counted<T extends object>(of: T, name: keyof T & string): { count: number; stop(): void } {
  const own = of[name] as (...args: unknown[]) => unknown;
  const seen = {
    count: 0,
    // The method was inherited, so the override is removed.
    stop: () => void Reflect.deleteProperty(of, name),
  };
  const count = (...args: unknown[]) => {
    seen.count++;
    return own.apply(of, args);
  };
  Object.defineProperty(of, name, { value: count, configurable: true });
  return seen;
}

/** Computes everything that a training step reads from the engine. */
async function everything(device: Device) {
  const engine = await Engine.create({ device, config, weights: randomWeights(config, 7, 1.5) });
  engine.setAdapterParams(Float32Array.from({ length: engine.adapterLayout.total }, (_, i) => 0.1 * Math.sin(i)));
  const scored = await engine.score(sequences, 2);
  const gradients = await scored.backward(coef);
  scored.free();
  const generated = await engine.generate({
    prompts: [randomIds(config, 8, 5), randomIds(config, 9, 11)],
    sequences: [0, 1, 1, 0].map((prompt, i) => ({ prompt, key: keyFor(5, STREAMS.rollout, i) })),
    maxNew: 24,
    temperature: 1,
    endTokens: [2],
  });
  const logits = await engine.logits(randomIds(config, 6, 12));
  engine.free();
  return { logprobs: scored.logprobs, gradients, generated, logits };
}

describe('the engine on WebGPU', () => {
  const vectors = { keyHeads: 2, valueHeads: 4, keyDim: 8, valueDim: 20, convWidth: 4 };
  it.for([
    // A linear layer divides a head by its norm, which can be tiny and amplify rounding; a larger ε prevents that.
    ['odd sizes', { ...SMALL.qwen35, rmsEps: 0.05 }],
    ['whole vectors', { ...SMALL.qwen35, rmsEps: 0.05, delta: vectors }],
  ] as const)(
    'scores a model with linear layers of %s as the CPU does, with the same gradients',
    async ([, hybrid], { skip }) => {
      if (!webgpu) return skip(`no WebGPU adapter here: ${why}`);
      const otherPrompts = sequences.map((sequence) => ({
        ...sequence,
        prompt: randomIds(hybrid, 1, sequence.prompt.length),
      }));
      const [found, expected] = await Promise.all(
        [webgpu, await createCpuDevice()].map(async (device) => {
          const engine = await Engine.create({ device, config: hybrid, weights: randomWeights(hybrid, 7) });
          engine.setAdapterParams(engine.initialAdapterParams.map((x, i) => x + 0.1 * Math.sin(i)));
          const scored = await engine.score(otherPrompts, 2);
          const gradients = await scored.backward(coef);
          scored.free();
          engine.free();
          return { logprobs: scored.logprobs, gradients };
        }),
      );
      for (const [i, row] of expected.logprobs.entries())
        expect(relativeError(found.logprobs[i], row)).toBeLessThan(1e-5);
      for (const [i, gradient] of expected.gradients.entries()) {
        expect(gradient.some((x) => x !== 0)).toBe(true);
        expect(relativeError(found.gradients[i], gradient)).toBeLessThan(1e-4);
      }
    },
  );

  it('decodes 28 layers with at most one submit per token', async ({ skip }) => {
    if (!webgpu) return skip(`no WebGPU adapter here: ${why}`);
    // The model has Qwen3-0.6B's number of calls with tiny widths, since the number of calls limits a submit.
    const deep = { ...SMALL.qwen3, layers: 28 };
    const weights = randomWeights(deep, 3);
    const engine = await Engine.create({ device: webgpu, config: deep, weights, adapter: 'none' });
    const both = [counted(webgpu.gpu.queue, 'submit'), counted(webgpu, 'run')];
    const counts = async (maxNew: number) => {
      const before = both.map(({ count }) => count);
      await engine.generate({
        prompts: [randomIds(deep, 1, 4)],
        sequences: [{ prompt: 0, key: keyFor(5, STREAMS.rollout, 0) }],
        maxNew,
        temperature: 1,
        endTokens: [],
      });
      return both.map(({ count }, i) => count - before[i]);
    };
    await counts(2); // excludes the allocations of a first rollout
    const [few, many] = [await counts(5), await counts(13)];
    const [submits, calls] = many.map((count, i) => count - few[i]);
    for (const { stop } of both) stop();
    engine.free();
    expect(calls / 8).toBe(28 * 7 + 4);
    expect(submits).toBeGreaterThan(0);
    expect(submits).toBeLessThanOrEqual(8);
  });

  it('agrees with the CPU, and is deterministic', async ({ skip }) => {
    if (!webgpu) return skip(`no WebGPU adapter here: ${why}`);
    const [gpu, again, cpu] = [
      await everything(webgpu),
      await everything(webgpu),
      await everything(await createCpuDevice()),
    ];
    expect(again).toEqual(gpu);
    expect(gpu.generated.map((g) => g.tokens)).toEqual(cpu.generated.map((g) => g.tokens));
    expect(relativeError(gpu.logits, cpu.logits)).toBeLessThan(1e-5);
    gpu.logprobs.forEach((row, i) => {
      expect(relativeError(row, cpu.logprobs[i])).toBeLessThan(1e-5);
    });
    gpu.gradients.forEach((row, i) => {
      expect(relativeError(row, cpu.gradients[i])).toBeLessThan(1e-4);
    });
  });

  it('equals the model without an adapter, bit for bit, at δS = 0', async ({ skip }) => {
    if (!webgpu) return skip(`no WebGPU adapter here: ${why}`);
    const weights = randomWeights(config, 7, 1.5);
    const bare = await Engine.create({ device: webgpu, config, weights, adapter: 'none' });
    const wrapped = await Engine.create({ device: webgpu, config, weights });
    const ids = randomIds(config, 6, 12);
    expect(await wrapped.logits(ids)).toEqual(await bare.logits(ids));
    bare.free();
    wrapped.free();
  });

  it('pretrains as the CPU does', async ({ skip }) => {
    if (!webgpu) return skip(`no WebGPU adapter here: ${why}`);
    const settings = { lr: 0.01, beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0.01, normClip: 1 };
    const losses = async (device: Device) => {
      const trainer = new Trainer(device, config, initialWeights(config, 1));
      const all: number[] = [];
      for (let i = 0; i < 4; i++) all.push((await trainer.train(sequences, settings)).loss);
      trainer.free();
      return all;
    };
    const [gpu, cpu] = [await losses(webgpu), await losses(await createCpuDevice())];
    expect(relativeError(gpu, cpu)).toBeLessThan(1e-4);
    expect(gpu[3]).toBeLessThan(gpu[0]);
  });
});
