// Tests the LoRA adapter against finite differences of one layer's modules and against a model whose weights are W + B A, and its
// bit-identity with the base; also on WebGPU.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { adapterLayout, loraParts } from '../adapter-layout.ts';
import { Engine, type EngineOptions } from '../decoder/engine.ts';
import { sharedGpu } from '../testing/devices.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../testing/models.ts';
import type { ModelConfig, Sequence, Weights } from '../types.ts';
import { initialLora } from './lora.ts';

const NAMES = ['qwen3', 'qwen2', 'llama'] as const;

async function engine(
  config: ModelConfig,
  {
    rank = 3,
    precision = 'f32' as 'f32' | 'f64',
    device = undefined as Device | undefined,
    adapter = undefined as EngineOptions['adapter'],
    weights = randomWeights(config, 7, 1.5),
  } = {},
) {
  return Engine.create({
    device: device ?? (await createCpuDevice({ precision })),
    config,
    weights,
    adapter: adapter ?? { adapter: 'lora', loraRank: rank },
  });
}

/** Completions of different lengths after a shared prompt and a one-token prompt. */
function sequences(config: ModelConfig, segments: number, stretch = 1): Sequence[] {
  const ids = (seed: number, n: number) => randomIds(config, seed, n);
  const shared = ids(1, 6);
  return [
    { prompt: shared, completion: ids(2, 5 * stretch), segment: 0 },
    { prompt: ids(3, 1), completion: ids(4, 4 * stretch), segment: 1 % segments },
    { prompt: shared, completion: ids(5, 1), segment: 0 },
    { prompt: shared, completion: ids(6, 7 * stretch), segment: 1 % segments },
  ];
}

function coefficients(batch: readonly Sequence[]): Float32Array[] {
  const rng = new CounterRng(keyFor(3, STREAMS.data));
  return batch.map(({ completion }) => Float32Array.from(completion, () => rng.normal()));
}

/** The initial parameters plus Gaussian noise of this size. */
function trained(model: Engine, size = 0.1): Float32Array {
  const rng = new CounterRng(keyFor(11, STREAMS.data));
  return model.initialAdapterParams.map((x) => x + size * rng.normal());
}

async function gradientsOf(model: Engine, batch: readonly Sequence[], coef: Float32Array[], segments: number) {
  const scored = await model.score(batch, segments);
  const gradients = await scored.backward(coef);
  scored.free();
  return gradients;
}

/** The weights with every Linear replaced by W + B A, in double precision until the end. */
function merged(weights: Weights, model: Engine, adapterParams: Float32Array): Weights {
  const all = new Map(weights);
  for (const module of model.adapterLayout.modules) {
    const { name, dOut, dIn } = module;
    const { rank, a, b } = loraParts(module);
    const [A, B] = [adapterParams.subarray(...a), adapterParams.subarray(...b)];
    const { shape, data } = weights.get(`${name}.weight`)!;
    const sum = Float32Array.from(data, (w, at) => {
      const [o, i] = [Math.floor(at / dIn), at % dIn];
      let update = 0;
      for (let j = 0; j < rank; j++) update += B[o * rank + j] * A[j * dIn + i];
      return w + update;
    });
    expect(data.length).toBe(dOut * dIn);
    all.set(`${name}.weight`, { shape, data: sum });
  }
  return all;
}

describe('the LoRA layout', () => {
  it('gives a module A and then B, with a rank of at most the Linear’s own', () => {
    const { modules, total } = adapterLayout(SMALL.qwen2, { adapter: 'lora', loraRank: 12 });
    const [q, k] = modules;
    expect(q).toMatchObject({ offset: 0, dOut: 24, dIn: 24, rank: 12, r: 12 * 48 });
    expect(k).toMatchObject({ offset: 12 * 48, dOut: 8, dIn: 24, rank: 8, r: 8 * 32 });
    expect(loraParts(k)).toEqual({ rank: 8, a: [576, 576 + 8 * 24], b: [576 + 8 * 24, 576 + 8 * 32] });
    expect(total).toBe(modules.reduce((sum, { r }) => sum + r, 0));
    expect(adapterLayout(SMALL.qwen2, { adapter: 'svd', loraRank: 12 })).toEqual(adapterLayout(SMALL.qwen2));
  });

  it('starts with B = 0 and a fixed Gaussian A of variance 1/dIn', () => {
    const layout = adapterLayout(SMALL.qwen3, { adapter: 'lora', loraRank: 20 });
    const adapterParams = initialLora(layout);
    expect(initialLora(layout)).toEqual(adapterParams);
    let squares = 0;
    let mean = 0;
    let count = 0;
    for (const module of layout.modules) {
      const { a, b } = loraParts(module);
      expect(adapterParams.subarray(...b).every((x) => x === 0)).toBe(true);
      for (const x of adapterParams.subarray(...a)) {
        squares += x * x * module.dIn;
        mean += x * Math.sqrt(module.dIn);
        count++;
      }
    }
    // χ² with `count` degrees of freedom, over count: 4 standard deviations.
    expect(Math.abs(squares / count - 1)).toBeLessThan(4 * Math.sqrt(2 / count));
    expect(Math.abs(mean / count)).toBeLessThan(4 / Math.sqrt(count));
    const [first, second] = layout.modules.map((module) => adapterParams.slice(...loraParts(module).a));
    expect(first.subarray(0, 20)).not.toEqual(second.subarray(0, 20));
  });
});

describe.each(NAMES)('%s with LoRA', (name) => {
  const config = SMALL[name];

  // For these small Linears rank 3 computes the gradient from projected rows, rank 16 by way of dW.
  it.each([3, 16])('of rank %i gives gradients of a layer’s modules that finite differences confirm', async (rank) => {
    const model = await engine(config, { rank, precision: 'f64' });
    const batch = sequences(config, 1, rank === 16 ? 4 : 1);
    const coef = coefficients(batch);
    const at = trained(model);
    const loss = async (adapterParams: Float32Array) => {
      model.setAdapterParams(adapterParams);
      const scored = await model.score(batch, 1);
      scored.free();
      return scored.logprobs.reduce((sum, row, i) => row.reduce((s, lp, t) => s + lp * coef[i][t], sum), 0);
    };
    model.setAdapterParams(at);
    const [gradient] = await gradientsOf(model, batch, coef, 1);
    for (const [m, module] of model.adapterLayout.modules.slice(0, 7).entries()) {
      for (const [half, [from, to]] of [loraParts(module).a, loraParts(module).b].entries()) {
        const rng = new CounterRng(keyFor(20 + half, STREAMS.data, m));
        const direction = at.map((_, i) => (i >= from && i < to ? (4 * rng.normal()) / Math.sqrt(to - from) : 0));
        const h = 2 ** -6;
        const shifted = (by: number) => at.map((x, i) => x + by * direction[i]);
        const slope = async (by: number) => ((await loss(shifted(by))) - (await loss(shifted(-by)))) / (2 * by);
        // Richardson extrapolation removes the h² term.
        const numeric = (4 * (await slope(h / 2)) - (await slope(h))) / 3;
        const analytic = gradient.reduce((s, g, i) => s + g * direction[i], 0);
        expect(Math.abs(numeric - analytic) / (Math.abs(analytic) + 1), `${module.name} ${half}`).toBeLessThan(2e-3);
      }
    }
    model.free();
  });

  it.each([
    [3, 1],
    [16, 6],
  ])('of rank %i gives each segment its own gradient', async (rank, stretch) => {
    const model = await engine(config, { rank });
    model.setAdapterParams(trained(model));
    const batch = sequences(config, 3, stretch);
    const coef = coefficients(batch);
    const gradients = (which: readonly number[], segments: number) =>
      gradientsOf(
        model,
        which.map((i) => ({ ...batch[i], segment: segments === 1 ? 0 : batch[i].segment })),
        which.map((i) => coef[i]),
        segments,
      );
    const [first, second, empty] = await gradients([0, 1, 2, 3], 3);
    expect(relativeError(first, (await gradients([0, 2], 1))[0])).toBeLessThan(1e-5);
    expect(relativeError(second, (await gradients([1, 3], 1))[0])).toBeLessThan(1e-5);
    expect(empty.every((x) => x === 0)).toBe(true);
    const sum = first.map((x, i) => x + second[i]);
    expect(relativeError(sum, (await gradients([0, 1, 2, 3], 1))[0])).toBeLessThan(1e-5);
    model.free();
  });

  it('equals the model whose weights are W + B A', async () => {
    const weights = randomWeights(config, 7, 1.5);
    const model = await engine(config, { weights });
    const adapterParams = trained(model);
    const plain = await engine(config, { weights: merged(weights, model, adapterParams), adapter: 'none' });
    const ids = randomIds(config, 5, 17);
    const before = await model.logits(ids);
    model.setAdapterParams(adapterParams);
    expect(relativeError(await model.logits(ids), await plain.logits(ids))).toBeLessThan(1e-5);
    expect(relativeError(before, await plain.logits(ids))).toBeGreaterThan(1e-2);
    model.free();
    plain.free();
  });

  it('with B = 0 equals the model without an adapter, bit for bit, for any A; only B has a gradient there', async () => {
    const [model, bare] = [await engine(config), await engine(config, { adapter: 'none' })];
    const ids = randomIds(config, 5, 17);
    const expected = await bare.logits(ids);
    expect(await model.logits(ids)).toEqual(expected);
    const adapterParams = trained(model);
    model.setAdapterParams(adapterParams);
    expect(await model.logits(ids)).not.toEqual(expected);
    model.setAdapterParams(model.initialAdapterParams);
    expect(await model.logits(ids)).toEqual(expected);
    const otherA = model.initialAdapterParams.map((x) => 2 * x);
    model.setAdapterParams(otherA);
    expect(await model.logits(ids)).toEqual(expected);
    const batch = sequences(config, 1);
    const [doubled] = await gradientsOf(model, batch, coefficients(batch), 1);
    model.setAdapterParams(model.initialAdapterParams);
    const [gradient] = await gradientsOf(model, batch, coefficients(batch), 1);
    for (const module of model.adapterLayout.modules) {
      const { a, b } = loraParts(module);
      expect(gradient.subarray(...a).every((x) => x === 0)).toBe(true);
      expect(gradient.subarray(...b).some((x) => x !== 0)).toBe(true);
    }
    expect(
      relativeError(
        doubled,
        gradient.map((x) => 2 * x),
      ),
    ).toBeLessThan(1e-6);
    model.free();
    bare.free();
  });
});

it('refuses a parameter vector of another rank', async () => {
  const model = await engine(SMALL.qwen3);
  expect(() => model.setAdapterParams(new Float32Array(3))).toThrow('3 elements');
  expect(() => model.factors).toThrow('without singular vectors');
  model.free();
});

const { device: webgpu, why } = await sharedGpu();

describe('LoRA on WebGPU', () => {
  it('agrees with the CPU, and is deterministic', async ({ skip }) => {
    if (!webgpu) return skip(`no WebGPU adapter here: ${why}`);
    const config = SMALL.qwen3;
    const batch = sequences(config, 2);
    const everything = async (device: Device, rank: number) => {
      const model = await engine(config, { device, rank });
      const base = await model.logits(batch[3].completion);
      model.setAdapterParams(trained(model));
      const gradients = await gradientsOf(model, batch, coefficients(batch), 2);
      const activations = await model.activations(batch, 1);
      const logits = await model.logits(batch[3].completion);
      model.free();
      return { base, gradients, activations, logits };
    };
    for (const rank of [3, 20]) {
      const gpu = await everything(webgpu, rank);
      expect(await everything(webgpu, rank)).toEqual(gpu);
      const cpu = await everything(await createCpuDevice(), rank);
      expect(relativeError(gpu.base, cpu.base)).toBeLessThan(1e-5);
      expect(relativeError(gpu.logits, cpu.logits)).toBeLessThan(1e-5);
      gpu.gradients.forEach((row, i) => {
        expect(relativeError(row, cpu.gradients[i])).toBeLessThan(1e-4);
      });
      gpu.activations.forEach((row, i) => {
        expect(relativeError(row, cpu.activations[i])).toBeLessThan(1e-5);
      });
    }
  });
});
