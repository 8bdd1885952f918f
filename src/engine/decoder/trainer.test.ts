// Tests full-weight gradients against finite differences, and that training learns and resumes with identical bytes.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { sequenceOf } from '../objectives/documents.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../testing/models.ts';
import type { ModelConfig, Sequence, Tensor } from '../types.ts';
import { Engine } from './engine.ts';
import { initialWeights, Trainer } from './trainer.ts';

const batch = (config: ModelConfig, seed = 0): Sequence[] =>
  [5, 1, 8].map((n, i) => ({
    prompt: randomIds(config, seed + i, 4 + i),
    completion: randomIds(config, seed + 10 + i, n),
    segment: 0,
  }));

const settings = { lr: 0.01, beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0.01, normClip: 1 };

describe.each(['qwen3', 'qwen2', 'llama', 'qwen35'] as const)('%s', (name) => {
  it('gives weight gradients that finite differences confirm, tensor by tensor', async () => {
    const config = SMALL[name];
    const device = await createCpuDevice({ precision: 'f64' });
    const weights = randomWeights(config, 3, 1.5);
    const lossAt = async (changed: ReadonlyMap<string, Tensor>) => {
      const trainer = new Trainer(device, config, changed as Map<string, Tensor>);
      const { loss } = await trainer.accumulate(batch(config));
      trainer.free();
      return loss;
    };
    const trainer = new Trainer(device, config, weights);
    const gradients = await (await trainer.accumulate(batch(config))).gradients();
    trainer.free();
    let index = 0;
    for (const [tensor, { shape, data }] of weights) {
      const rng = new CounterRng(keyFor(index++, STREAMS.data));
      const direction = Float64Array.from(data, () => rng.normal());
      const shifted = (by: number) => {
        const moved = new Map(weights);
        // The weights are in f64 here, so that the step is not rounded.
        moved.set(tensor, {
          shape,
          data: Float64Array.from(data, (x, i) => x + by * direction[i]) as unknown as Float32Array,
        });
        return moved;
      };
      const h = 1e-6;
      const numeric = ((await lossAt(shifted(h))) - (await lossAt(shifted(-h)))) / (2 * h);
      const analytic = gradients.get(tensor)!.reduce((s, g, i) => s + g * direction[i], 0);
      expect(Math.abs(numeric - analytic) / (Math.abs(numeric) + 1e-3), tensor).toBeLessThan(1e-5);
    }
  });
});

it('trains whole and masked documents: the loss is the mean over trained tokens, and finite differences confirm its gradient', async () => {
  const config = SMALL.qwen3;
  const device = await createCpuDevice({ precision: 'f64' });
  const documents = [
    { ids: randomIds(config, 1, config.maxPositions) },
    { ids: randomIds(config, 2, 12), mask: Array.from({ length: 12 }, (_, t) => t > 3 && t % 3 !== 0) },
  ];
  const sequences = documents.map((document) => sequenceOf(document));
  const weights = randomWeights(config, 3, 1.5);
  const lossAt = async (changed: ReadonlyMap<string, Tensor>) => {
    const trainer = new Trainer(device, config, changed as Map<string, Tensor>);
    const { loss, gradients } = await trainer.accumulate(sequences);
    const all = await gradients();
    trainer.free();
    return { loss, all };
  };
  const at = await lossAt(weights);
  const engine = await Engine.create({ device, config, weights, adapter: 'none' });
  const scored = await engine.score(sequences, 1);
  scored.free();
  engine.free();
  const flat = scored.logprobs.flatMap((row) => [...row]);
  expect(flat).toHaveLength(config.maxPositions - 1 + 6);
  expect(at.loss).toBeCloseTo(-flat.reduce((sum, x) => sum + x, 0) / flat.length, 6);
  const direction = new Map(
    [...weights].map(([tensor, { data }], i) => {
      const rng = new CounterRng(keyFor(i, STREAMS.data));
      return [tensor, Float64Array.from(data, () => rng.normal())] as const;
    }),
  );
  const shifted = (by: number) =>
    new Map(
      [...weights].map(([tensor, { shape, data }]) => {
        const moved = Float64Array.from(data, (x, i) => x + by * direction.get(tensor)![i]);
        return [tensor, { shape, data: moved as unknown as Float32Array }] as const;
      }),
    );
  const h = 1e-5;
  const numeric = ((await lossAt(shifted(h))).loss - (await lossAt(shifted(-h))).loss) / (2 * h);
  let analytic = 0;
  for (const [tensor, gradient] of at.all)
    for (const [i, g] of gradient.entries()) analytic += g * direction.get(tensor)![i];
  expect(Math.abs(numeric - analytic) / (Math.abs(numeric) + 1e-3)).toBeLessThan(1e-5);
});

it.each(['qwen3', 'qwen35'] as const)(
  '%s learns a fixed batch, and resumes from its saved state with identical bytes',
  async (name) => {
    const config = SMALL[name];
    const device = await createCpuDevice();
    const run = async (trainer: Trainer, steps: number) => {
      const losses: number[] = [];
      for (let i = 0; i < steps; i++) losses.push((await trainer.train(batch(config), settings)).loss);
      return losses;
    };
    const whole = new Trainer(device, config, initialWeights(config, 1));
    const losses = await run(whole, 30);
    expect(losses[0]).toBeCloseTo(Math.log(config.vocab), 1);
    expect(losses[29]).toBeLessThan(losses[0] / 3);

    const first = new Trainer(device, config, initialWeights(config, 1));
    await run(first, 12);
    const second = new Trainer(device, config, await first.state());
    expect(await run(second, 18)).toEqual(losses.slice(12));
    expect(await second.weights()).toEqual(await whole.weights());
  },
);

it('takes AdamW’s step on the clipped gradient, with weight decay on matrices only', async () => {
  const config = SMALL.llama;
  const device = await createCpuDevice();
  const start = randomWeights(config, 3, 1.5);
  // With a large ε the step depends on the gradient's norm, and so on the clip.
  const { lr, eps, weightDecay, normClip } = { lr: 0.01, eps: 0.1, weightDecay: 0.5, normClip: 0.3 };
  const trainer = new Trainer(device, config, start);
  const gradients = await (await trainer.accumulate(batch(config))).gradients();
  const { gradNorm } = await trainer.train(batch(config), { ...settings, lr, eps, weightDecay, normClip });
  const square = [...gradients.values()].reduce((sum, g) => g.reduce((s, x) => s + x * x, sum), 0);
  expect(gradNorm).toBeCloseTo(Math.sqrt(square), 4);
  expect(gradNorm).toBeGreaterThan(2 * normClip);
  const after = await trainer.weights();
  for (const [name, { shape, data }] of start) {
    const decay = shape.length === 2 ? weightDecay : 0;
    const expected = data.map((p, i) => {
      // The first step from zero moments: m̂ = g, √v̂ = |g|.
      const g = (gradients.get(name)![i] * normClip) / gradNorm;
      return p - lr * (g / (Math.abs(g) + eps) + decay * p);
    });
    expect(relativeError(after.get(name)!.data, expected), name).toBeLessThan(1e-6);
  }
  trainer.free();
});
