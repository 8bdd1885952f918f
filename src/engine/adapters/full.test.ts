// Tests the adapter that trains all weights: its gradient against finite differences and against pretraining's, bit-identity with the
// base, folding against explicit weights, and what it refuses.

import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { readCheckpointFile, writeCheckpointFile } from '../../storage/checkpoint-file.ts';
import { SafetensorsFile } from '../../storage/safetensors.ts';
import { adapterLayout, adapterOf, layoutOf, weightOf } from '../adapter-layout.ts';
import { Engine } from '../decoder/engine.ts';
import { Trainer } from '../decoder/trainer.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../testing/models.ts';
import type { ModelConfig, Sequence, Weights } from '../types.ts';
import { isZeroCentred, weightShapes } from '../weight-names.ts';
import { foldedWeights } from './folded.ts';

const NAMES = ['qwen3', 'qwen2', 'llama', 'qwen35'] as const;
const FULL = { adapter: 'full', loraRank: 0 } as const;

async function engine(config: ModelConfig, precision: 'f32' | 'f64' = 'f32', weights = randomWeights(config, 7, 1.5)) {
  return Engine.create({ device: await createCpuDevice({ precision }), config, weights, adapter: FULL });
}

function sequences(config: ModelConfig): Sequence[] {
  const ids = (seed: number, n: number) => randomIds(config, seed, n);
  const shared = ids(1, 6);
  return [
    { prompt: shared, completion: ids(2, 5), segment: 0 },
    { prompt: ids(3, 1), completion: ids(4, 4), segment: 0 },
    { prompt: shared, completion: ids(6, 3), mask: [1, 0, 1], segment: 0 },
  ];
}
const coefficients = () => {
  const rng = CounterRng.of(3, STREAMS.data);
  return [5, 4, 2].map((n) => Float32Array.from({ length: n }, () => rng.normal()));
};
const adapterParamsOf = (length: number, size = 0.02) => {
  const rng = CounterRng.of(11, STREAMS.data);
  return Float32Array.from({ length }, () => size * rng.normal());
};

async function lossAt(model: Engine, adapterParams: Float32Array): Promise<number> {
  model.setAdapterParams(adapterParams);
  const scored = await model.score(sequences(model.config), 2);
  scored.free();
  const coef = coefficients();
  return scored.logprobs.reduce((sum, row, i) => row.reduce((all, x, t) => all + x * coef[i][t], sum), 0);
}

async function gradientAt(model: Engine, adapterParams: Float32Array): Promise<Float32Array[]> {
  model.setAdapterParams(adapterParams);
  const scored = await model.score(sequences(model.config), 2);
  const gradients = await scored.backward(coefficients());
  scored.free();
  return gradients;
}

describe('the layout of all weights', () => {
  it('has every weight once, and converts to and from another adapter’s layout', () => {
    for (const name of NAMES) {
      const config = SMALL[name];
      const full = adapterLayout(config, FULL);
      expect(new Set(full.modules.map(weightOf))).toEqual(new Set(weightShapes(config).keys()));
      const elements = [...weightShapes(config).values()].map((shape) => shape.reduce((a, b) => a * b, 1));
      expect(full.total).toBe(elements.reduce((a, b) => a + b, 0));
      expect(adapterOf(full).adapter).toBe('full');
      for (const settings of [FULL, { adapter: 'svd', loraRank: 0 }, { adapter: 'lora', loraRank: 2 }] as const)
        for (const from of [full, adapterLayout(config), adapterLayout(config, { adapter: 'lora', loraRank: 3 })])
          expect(layoutOf(from, settings)).toEqual(adapterLayout(config, settings));
    }
  });
});

describe.each(NAMES)('%s with all weights', (name) => {
  const config = SMALL[name];

  it('has a gradient that finite differences confirm, module by module, away from the base', async () => {
    const model = await engine(config, 'f64');
    const adapterParams = adapterParamsOf(model.adapterLayout.total);
    const [g, none] = await gradientAt(model, adapterParams);
    expect(none.every((x) => x === 0)).toBe(true);
    const rng = CounterRng.of(5, STREAMS.data);
    for (const { name: module, offset, r } of model.adapterLayout.modules) {
      // The direction has length 1 over the whole module.
      const drawn = Float64Array.from({ length: r }, () => rng.normal());
      const length = Math.sqrt(drawn.reduce((sum, x) => sum + x * x, 0));
      const direction = drawn.map((x) => x / length);
      const h = 2 ** -10;
      const along = (sign: number) =>
        lossAt(
          model,
          adapterParams.map((x, at) => x + sign * h * (direction[at - offset] ?? 0)),
        );
      const slope = ((await along(1)) - (await along(-1))) / (2 * h);
      const expected = direction.reduce((sum, x, i) => sum + x * g[offset + i], 0);
      expect(Math.abs(slope - expected), module).toBeLessThan(2e-3 * Math.max(1, Math.abs(expected)));
    }
    model.free();
  });

  it('has pretraining’s gradient at the base, and equals the base bit for bit', async () => {
    const weights = randomWeights(config, 7, 1.5);
    const model = await engine(config);
    const bare = await Engine.create({ device: await createCpuDevice(), config, weights, adapter: 'none' });
    const ids = randomIds(config, 9, 7);
    const plain = await bare.logits(ids);
    expect(await model.logits(ids)).toEqual(plain);
    model.setAdapterParams(adapterParamsOf(model.adapterLayout.total));
    expect(relativeError(await model.logits(ids), plain)).toBeGreaterThan(1e-3);
    model.setAdapterParams(model.initialAdapterParams);
    expect(await model.logits(ids)).toEqual(plain);

    const batch = sequences(config);
    const trainer = new Trainer(await createCpuDevice(), config, weights);
    const own = await (await trainer.accumulate(batch)).gradients();
    const scored = await model.score(batch, 1);
    const targets = 11;
    const [g] = await scored.backward([5, 4, 2].map((n) => new Float32Array(n).fill(-1 / targets)));
    scored.free();
    for (const module of model.adapterLayout.modules)
      expect(g.slice(module.offset, module.offset + module.r), module.name).toEqual(own.get(weightOf(module)));
    for (const one of [model, bare, trainer]) one.free();
  });

  it('is exported as W + δW, and survives a checkpoint file', async () => {
    const weights: Weights = randomWeights(config, 7, 1.5);
    const model = await engine(config);
    const adapterParams = adapterParamsOf(model.adapterLayout.total);
    model.setAdapterParams(adapterParams);
    const device = await createCpuDevice();
    const folded = await foldedWeights({ device, config, weights, adapter: FULL, factors: new Map(), adapterParams });
    const exported = await Engine.create({ device, config, weights: folded, adapter: 'none' });
    const ids = randomIds(config, 9, 7);
    expect(await exported.logits(ids)).toEqual(await model.logits(ids));
    for (const module of model.adapterLayout.modules) {
      const { data, shape } = folded.get(weightOf(module))!;
      expect(shape).toEqual(weights.get(weightOf(module))!.shape);
      const W = weights.get(weightOf(module))!.data;
      const moved = W.map((w, i) => w + adapterParams[module.offset + i]);
      // The device stores 1 + w, to which it adds δ.
      if (isZeroCentred(config, weightOf(module))) expect(relativeError(data, moved)).toBeLessThan(1e-6);
      else expect(data).toEqual(moved);
    }
    const file = writeCheckpointFile(model.adapterLayout, {
      deltaS: adapterParams,
      deltaSHack: new Float32Array(adapterParams.length),
    });
    const source = new Blob([file]);
    expect((await SafetensorsFile.open(source, 'f')).tensors.has('δW/model.embed_tokens')).toBe(true);
    expect((await readCheckpointFile(source, model.adapterLayout, 'f')).deltaS).toEqual(adapterParams);
    exported.free();
    model.free();
  });
});

describe('what is refused', () => {
  const config = SMALL.qwen3;

  it('gradients of more than one segment', async () => {
    const model = await engine(config);
    const batch = sequences(config).map((sequence, i) => ({ ...sequence, segment: i % 2 }));
    const scored = await model.score(batch, 2);
    await expect(scored.backward(coefficients())).rejects.toThrow(ShapeError);
    await expect(scored.backward(coefficients())).rejects.toThrow(/segments apart are not defined/);
    scored.free();
    model.free();
  });

  it('packed weights, and a split table', async () => {
    const large = { ...config, vocab: 200 };
    const weights = randomWeights(large, 7, 1.5);
    for (const [storage, maxBindingBytes] of [
      ['f16', undefined],
      ['f32', 4096],
    ] as const)
      await expect(
        Engine.create({
          device: await createCpuDevice({ maxBindingBytes }),
          config: large,
          weights,
          adapter: FULL,
          storage,
        }),
      ).rejects.toThrow(/all weights cannot be trained/);
  });

  it('parameters of another adapter', async () => {
    const model = await engine(config);
    expect(() => model.setAdapterParams(new Float32Array(adapterLayout(config).total))).toThrow(ShapeError);
    model.free();
  });
});
