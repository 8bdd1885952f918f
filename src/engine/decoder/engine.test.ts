// Tests the engine against itself and against float64 kernels: adapter gradients against finite differences, prefix sharing, gradients per
// segment, bit-identity with the base model, rollouts against scoring, and determinism.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../testing/models.ts';
import type { ModelConfig, RolloutWork, Sequence } from '../types.ts';
import { Engine } from './engine.ts';

async function engine(config: ModelConfig, options: { precision?: 'f32' | 'f64'; adapter?: 'svd' | 'none' } = {}) {
  const device = await createCpuDevice({ precision: options.precision ?? 'f32' });
  const weights = randomWeights(config, 7, 1.5);
  return Engine.create({ device, config, weights, adapter: options.adapter ?? 'svd' });
}

/** Two groups with completions of different lengths (`stretch` times as long); the second has a one-token prompt (empty prefix). */
function sequences(config: ModelConfig, segments: number, stretch = 1): Sequence[] {
  const ids = (seed: number, n: number) => randomIds(config, seed, n);
  const written = (seed: number, n: number) => ids(seed, n * stretch);
  const shared = ids(1, 6);
  return [
    { prompt: shared, completion: written(2, 5), segment: 0 },
    { prompt: ids(3, 1), completion: written(4, 4), segment: 1 % segments },
    { prompt: shared, completion: written(5, 1), segment: 0 },
    { prompt: shared, completion: written(6, 7), segment: 1 % segments },
  ];
}

function coefficients(batch: readonly Sequence[]): Float32Array[] {
  const rng = new CounterRng(keyFor(3, STREAMS.data));
  return batch.map(({ completion }) => Float32Array.from(completion, () => rng.normal()));
}

function randomAdapterParams(total: number, size: number): Float32Array {
  const rng = new CounterRng(keyFor(11, STREAMS.data));
  return Float32Array.from({ length: total }, () => size * rng.normal());
}

describe.each(['qwen3', 'qwen2', 'llama'] as const)('%s', (name) => {
  const config = SMALL[name];

  it.each([
    ['log-probabilities', false],
    ['log-probabilities and entropies', true],
  ])('gives adapter gradients of %s that finite differences confirm', async (_, hasEntropy) => {
    const model = await engine(config, { precision: 'f64' });
    const batch = sequences(config, 1);
    const coef = coefficients(batch);
    // Entropies have coefficients too, as with an entropy bonus.
    const entropyCoef = coefficients(batch).map((row) => row.map((x) => -x / 2));
    const at = randomAdapterParams(model.adapterLayout.total, 0.1);
    // Float32 log-probabilities carry 1e-7; a step of 2^-7 along a random direction keeps truncation and rounding near 1e-4.
    const loss = async (adapterParams: Float32Array) => {
      model.setAdapterParams(adapterParams);
      const scored = await model.score(batch, 1);
      scored.free();
      const of = (rows: readonly Float32Array[], by: readonly Float32Array[]) =>
        rows.reduce((sum, row, i) => row.reduce((s, x, t) => s + x * by[i][t], sum), 0);
      return of(scored.logprobs, coef) + (hasEntropy ? of(scored.entropy, entropyCoef) : 0);
    };
    model.setAdapterParams(at);
    const scored = await model.score(batch, 1);
    const [gradient] = await scored.backward(coef, hasEntropy ? entropyCoef : undefined);
    scored.free();
    for (let trial = 0; trial < 4; trial++) {
      const rng = new CounterRng(keyFor(20 + trial, STREAMS.data));
      const direction = Float32Array.from(at, () => rng.normal());
      const h = 2 ** -7;
      const shifted = (sign: number, by: number) => at.map((x, i) => x + sign * by * direction[i]);
      const slope = async (by: number) => ((await loss(shifted(1, by))) - (await loss(shifted(-1, by)))) / (2 * by);
      // Richardson extrapolation removes the h² term.
      const numeric = (4 * (await slope(h / 2)) - (await slope(h))) / 3;
      const analytic = gradient.reduce((s, g, i) => s + g * direction[i], 0);
      expect(Math.abs(numeric - analytic) / (Math.abs(analytic) + 1)).toBeLessThan(1e-3);
    }
    model.free();
  });

  // With few rows the gradient is computed from projected rows, with many by way of dW (adapters/svd.ts).
  it.each([
    ['few', 1],
    ['many', 6],
  ])(
    'gives each segment of %s rows the gradient of its own sequences, and the gradients add up',
    async (_, stretch) => {
      const model = await engine(config);
      model.setAdapterParams(randomAdapterParams(model.adapterLayout.total, 0.1));
      const batch = sequences(config, 2, stretch);
      const coef = coefficients(batch);
      const gradients = async (which: readonly number[], segments: number) => {
        const chosen = which.map((i) => ({ ...batch[i], segment: segments === 1 ? 0 : batch[i].segment }));
        const scored = await model.score(chosen, segments);
        const result = await scored.backward(which.map((i) => coef[i]));
        scored.free();
        return result;
      };
      const both = await gradients([0, 1, 2, 3], 2);
      expect(relativeError(both[0], (await gradients([0, 2], 1))[0])).toBeLessThan(1e-5);
      expect(relativeError(both[1], (await gradients([1, 3], 1))[0])).toBeLessThan(1e-5);
      const sum = both[0].map((x, i) => x + both[1][i]);
      expect(relativeError(sum, (await gradients([0, 1, 2, 3], 1))[0])).toBeLessThan(1e-5);
      model.free();
    },
  );

  it('equals the model without an adapter, bit for bit, at δS = 0, also after δS was changed and reset', async () => {
    const [wrapped, bare] = [await engine(config), await engine(config, { adapter: 'none' })];
    const ids = randomIds(config, 5, 17);
    const expected = await bare.logits(ids);
    expect(await wrapped.logits(ids)).toEqual(expected);
    wrapped.setAdapterParams(randomAdapterParams(wrapped.adapterLayout.total, 0.2));
    expect(await wrapped.logits(ids)).not.toEqual(expected);
    wrapped.setAdapterParams(new Float32Array(wrapped.adapterLayout.total));
    expect(await wrapped.logits(ids)).toEqual(expected);
    wrapped.free();
    bare.free();
  });

  it('agrees with the float64 reference, and scores its rollouts with the sampled log-probabilities', async () => {
    const [model, reference] = [await engine(config), await engine(config, { precision: 'f64' })];
    const ids = randomIds(config, 9, 23);
    expect(relativeError(await model.logits(ids), await reference.logits(ids))).toBeLessThan(1e-5);
    const prompts = [randomIds(config, 1, 5), randomIds(config, 2, 9)];
    const request = {
      prompts,
      sequences: [0, 1, 0, 0, 1].map((prompt, i) => ({ prompt, key: keyFor(4, STREAMS.rollout, i) })),
      maxNew: 20,
      temperature: 1,
      endTokens: [3, 4],
    };
    const rolled = await model.generate(request);
    expect(await model.generate(request)).toEqual(rolled);
    // A sequence's log-probabilities do not depend on the batch around it.
    const alone = await model.generate({ ...request, sequences: [request.sequences[3]] });
    expect(alone[0].tokens).toEqual(rolled[3].tokens);
    expect(new Set(rolled.map((r) => r.tokens.join())).size).toBeGreaterThan(2);
    for (const { tokens, ended } of rolled) {
      expect(tokens.findIndex((id) => id === 3 || id === 4)).toBe(ended ? tokens.length - 1 : -1);
    }
    const scored = await model.score(
      rolled.map(({ tokens }, i) => ({ prompt: prompts[request.sequences[i].prompt], completion: tokens, segment: 0 })),
      1,
    );
    rolled.forEach(({ logprobs }, i) => {
      expect(relativeError(logprobs, scored.logprobs[i])).toBeLessThan(1e-5);
    });
    scored.free();
    model.free();
    reference.free();
  });

  it('decodes greedily to the arg max of its logits', async () => {
    const model = await engine(config);
    const prompt = randomIds(config, 12, 6);
    const [{ tokens }] = await model.generate({
      prompts: [prompt],
      sequences: [{ prompt: 0, key: [0, 0] }],
      maxNew: 8,
      temperature: 0,
      endTokens: [],
    });
    const ids = [...prompt];
    for (const token of tokens) {
      const last = (await model.logits(ids)).slice(-config.vocab);
      expect(token).toBe(last.indexOf(Math.max(...last)));
      ids.push(token);
    }
    model.free();
  });
});

it('computes shared prompt prefixes once, and each sequence equals the same sequence sampled alone', async () => {
  const model = await engine(SMALL.qwen3);
  const ids = randomIds(SMALL.qwen3, 1, 12);
  const prompts = [
    ids.slice(0, 9),
    [...ids.slice(0, 6), 7, 8, 9],
    ids.slice(0, 4),
    [...ids.slice(0, 6), 7, 8, 5, 2],
    ids,
  ];
  const settings = { prompts, maxNew: 6, maxTokens: 6, maxTurns: 1, act: null, temperature: 1, endTokens: [] };
  const sequences = [0, 1, 2, 3, 4, 1].map((prompt, i) => ({ prompt, key: () => keyFor(4, STREAMS.rollout, i) }));
  let prefilled = 0;
  const onWork = (work: RolloutWork) => {
    prefilled = work.prefilled;
  };
  const together = await model.generateEpisodes({ ...settings, sequences, onWork });
  // Distinct rows: 9 of the first prompt, then 3, 0, 2 and 3 that the following prompts add.
  expect(prefilled).toBe(9 + 3 + 0 + 2 + 3);
  for (const [i, sequence] of sequences.entries())
    expect(await model.generateEpisodes({ ...settings, sequences: [sequence] })).toEqual([together[i]]);
  model.free();
});

it('samples a request larger than one batch in parts, and each sequence equals the same sequence sampled alone', async () => {
  const model = await engine(SMALL.qwen3);
  const prompts = [randomIds(SMALL.qwen3, 1, 5), randomIds(SMALL.qwen3, 2, 3)];
  const settings = { prompts, maxNew: 3, temperature: 1, endTokens: [3] };
  const sequences = Array.from({ length: 150 }, (_, i) => ({ prompt: i % 2, key: keyFor(4, STREAMS.rollout, i) }));
  let seen = 0;
  const whole = await model.generate({
    ...settings,
    sequences,
    onProgress: (tokens, running) => {
      expect(tokens).toBeGreaterThan(seen);
      expect(running).toBeLessThan(150);
      seen = tokens;
    },
  });
  expect(whole).toHaveLength(150);
  expect(seen).toBeLessThanOrEqual(150 * 3);
  for (const i of [0, 127, 128, 149])
    expect(await model.generate({ ...settings, sequences: [sequences[i]] })).toEqual([whole[i]]);
  expect(new Set(whole.map(({ tokens }) => tokens.join())).size).toBeGreaterThan(100);
  model.free();
});

it('refuses a second open batch, a parameter vector of another model, and sequences beyond the last position', async () => {
  const model = await engine(SMALL.qwen3);
  const batch = sequences(SMALL.qwen3, 1);
  const open = await model.score(batch, 1);
  await expect(model.score(batch, 1)).rejects.toThrow('still open');
  open.free();
  expect(() => model.setAdapterParams(new Float32Array(3))).toThrow('3 elements');
  const long = randomIds(SMALL.qwen3, 1, 60);
  await expect(model.score([{ prompt: long, completion: long, segment: 0 }], 1)).rejects.toThrow('60 + 60 tokens');
  model.free();
});
