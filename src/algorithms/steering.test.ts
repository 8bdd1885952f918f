// Tests steering: α times a direction is added, and the hack-ward direction raises a hack's likelihood.
import { expect, it } from 'vitest';
import { Engine } from '../engine/decoder/engine.ts';
import { randomIds, randomWeights, SMALL } from '../engine/testing/models.ts';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { extractBasis, pairGradients } from './extraction.ts';
import { hackwardOf, steered } from './steering.ts';
import { norm } from './vectors.ts';

it('adds α times a direction', () => {
  const initial = Float32Array.of(1, 2, 3);
  expect(steered(initial, Float32Array.of(4, 0, -8), 0)).toEqual(initial);
  expect(steered(initial, Float32Array.of(4, 0, -8), 0.5)).toEqual(Float32Array.of(3, 2, -1));
  expect(steered(initial, Float32Array.of(4, 0, -8), -1)).toEqual(Float32Array.of(-3, 2, 11));
});

it('makes hacks more likely hack-ward and less likely the other way, with a unit vector', async () => {
  const engine = await Engine.create({
    device: await createCpuDevice(),
    config: SMALL.qwen3,
    weights: randomWeights(SMALL.qwen3, 1),
  });
  try {
    const hack = randomIds(SMALL.qwen3, 100, 4);
    const clean = randomIds(SMALL.qwen3, 200, 6);
    const pairs = [0, 1, 2].map((i) => ({ prompt: randomIds(SMALL.qwen3, i, 5), hack, clean }));
    const { adapterLayout } = engine;
    const settings = { k: 2, tauAxis: 0 };
    const raw = extractBasis(await pairGradients(engine, pairs), adapterLayout, settings);
    const direction = hackwardOf(raw, adapterLayout);
    expect(norm(direction)).toBeCloseTo(1, 5);
    /** Σ over the pairs of ln p(hack) − ln p(clean), per token. */
    const preference = async (alpha: number) => {
      engine.setAdapterParams(steered(engine.initialAdapterParams, direction, alpha));
      const sequences = pairs.flatMap(({ prompt, hack, clean }) =>
        [hack, clean].map((completion) => ({ prompt, completion })),
      );
      const batch = await engine.score(
        sequences.map((sequence, segment) => ({ ...sequence, segment })),
        sequences.length,
      );
      const means = batch.logprobs.map((own) => own.reduce((sum, x) => sum + x, 0) / own.length);
      batch.free();
      return means.reduce((sum, mean, i) => sum + (i % 2 === 0 ? mean : -mean), 0);
    };
    const [back, still, ahead] = [await preference(-0.5), await preference(0), await preference(0.5)];
    expect(ahead).toBeGreaterThan(still);
    expect(back).toBeLessThan(still);
    expect(hackwardOf(new Map(), adapterLayout).every((x) => x === 0)).toBe(true);
  } finally {
    engine.free();
  }
});
