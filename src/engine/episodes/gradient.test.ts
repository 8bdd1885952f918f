// Tests scoring an episode as one masked sequence: on both devices against the same tokens without a mask and against its turns as
// separate sequences; in double precision against finite differences.
import { afterAll, describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { Engine } from '../decoder/engine.ts';
import { pack } from '../passes/packing.ts';
import { bothDevices } from '../testing/devices.ts';
import { episodes, shown } from '../testing/episodes.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../testing/models.ts';
import type { ModelConfig, Sequence } from '../types.ts';
import { maskOf, mostTrainedTokens, trainedPlaces, trainedTokens, valuesOfTurn } from './episode.ts';

/** [model 3] [shown 4] [model 5] [shown 2] [model 1], [shown 2] [model 4] [shown 3], and a completion without a mask. */
function batchOf(config: ModelConfig): Sequence[] {
  const spans = (...turns: [number, number][]) => turns.map(([from, to]) => ({ from, to }));
  const shared = randomIds(config, 1, 6);
  return [
    {
      prompt: shared,
      completion: randomIds(config, 2, 15),
      mask: maskOf(spans([0, 3], [7, 12], [14, 15]), 15),
      segment: 0,
    },
    { prompt: shared, completion: randomIds(config, 3, 9), mask: maskOf(spans([2, 6]), 9), segment: 1 },
    { prompt: shared, completion: randomIds(config, 4, 7), segment: 1 },
  ];
}

function coefficients(batch: readonly Sequence[]): Float32Array[] {
  const rng = new CounterRng(keyFor(3, STREAMS.data));
  return batch.map((sequence) => Float32Array.from({ length: trainedTokens(sequence) }, () => rng.normal()));
}

async function scoreAndBackward(
  model: Engine,
  batch: readonly Sequence[],
  coef: readonly Float32Array[],
  segments: number,
) {
  const scored = await model.score(batch, segments);
  const gradients = await scored.backward(coef);
  scored.free();
  return { logprobs: scored.logprobs, entropy: scored.entropy, gradients };
}

const { devices: made, why } = await bothDevices();
afterAll(() => made.get('cpu')?.destroy());

const adapterParamsAt = (total: number) => Float32Array.from({ length: total }, (_, i) => 0.1 * Math.sin(i));

describe.each(['cpu', 'webgpu'] as const)('an episode scored on %s', (kind) => {
  const config = SMALL.qwen3;
  const batch = batchOf(config);
  const coef = coefficients(batch);

  it('has the gradient of the same tokens unmasked, and of its turns scored separately', async ({ skip }) => {
    const device = made.get(kind);
    if (!device) return skip(`no WebGPU adapter here: ${why}`);
    const model = await Engine.create({ device, config, weights: randomWeights(config, 7, 1.5) });
    model.setAdapterParams(adapterParamsAt(model.adapterLayout.total));
    const masked = await scoreAndBackward(model, batch, coef, 2);
    expect(await scoreAndBackward(model, batch, coef, 2)).toEqual(masked);

    // Every token is scored, with coefficient 0 for observations.
    const whole = await scoreAndBackward(
      model,
      batch.map(({ mask, ...sequence }) => sequence),
      batch.map((sequence, i) => {
        const all = new Float32Array(sequence.completion.length);
        for (const [n, t] of trainedPlaces(sequence).entries()) all[t] = coef[i][n];
        return all;
      }),
      2,
    );
    for (const segment of [0, 1]) {
      expect(relativeError(masked.gradients[segment], whole.gradients[segment])).toBeLessThan(1e-5);
      expect(masked.gradients[segment].some((x) => x !== 0)).toBe(true);
    }
    for (const [i, sequence] of batch.entries()) {
      const places = trainedPlaces(sequence);
      expect(masked.logprobs[i]).toEqual(Float32Array.from(places, (t) => whole.logprobs[i][t]));
      expect(masked.entropy[i]).toEqual(Float32Array.from(places, (t) => whole.entropy[i][t]));
    }

    // Each turn is scored with everything before it as its prompt.
    const turns = [
      ...[0, 7, 14].map((from, turn) => ({ i: 0, from, to: [3, 12, 15][turn], turn })),
      { i: 1, from: 2, to: 6, turn: 0 },
      { i: 2, from: 0, to: 7, turn: 0 },
    ];
    const spansOf = (i: number) => turns.filter((turn) => turn.i === i);
    const apart = await scoreAndBackward(
      model,
      turns.map(({ i, from, to }) => ({
        prompt: [...batch[i].prompt, ...batch[i].completion.slice(0, from)],
        completion: batch[i].completion.slice(from, to),
        segment: batch[i].segment,
      })),
      turns.map(({ i, turn }) => valuesOfTurn(coef[i], spansOf(i), turn)),
      2,
    );
    for (const segment of [0, 1]) {
      expect(relativeError(masked.gradients[segment], apart.gradients[segment])).toBeLessThan(1e-5);
    }
    for (const [n, { i, turn }] of turns.entries()) {
      expect(relativeError(valuesOfTurn(masked.logprobs[i], spansOf(i), turn), apart.logprobs[n])).toBeLessThan(1e-5);
    }
    model.free();
  });

  it('has the log-probabilities with which it was sampled', async ({ skip }) => {
    const device = made.get(kind);
    if (!device) return skip(`no WebGPU adapter here: ${why}`);
    const model = await Engine.create({ device, config, weights: randomWeights(config, 7, 1.5) });
    const request = episodes(config);
    const found = await model.generateEpisodes({ ...request, act: async (_, turn) => shown(config, turn) });
    const sequences = found.map(({ tokens: completion, mask }, i) => ({
      prompt: request.prompts[request.sequences[i].prompt],
      completion,
      mask,
      segment: 0,
    }));
    const scored = await model.score(sequences, 1);
    scored.free();
    expect(found.some(({ mask }) => mask.includes(0))).toBe(true);
    for (const [i, { logprobs }] of found.entries()) {
      expect(scored.logprobs[i]).toHaveLength(logprobs.length);
      expect(relativeError(scored.logprobs[i], logprobs)).toBeLessThan(1e-5);
    }
    model.free();
  });
});

describe.each(['qwen3', 'qwen2', 'llama'] as const)('an episode of %s', (name) => {
  it('has the adapter gradients that finite differences confirm', async () => {
    const config = SMALL[name];
    const device = await createCpuDevice({ precision: 'f64' });
    const model = await Engine.create({ device, config, weights: randomWeights(config, 7, 1.5) });
    const batch = batchOf(config).map((sequence) => ({ ...sequence, segment: 0 }));
    const coef = coefficients(batch);
    const at = adapterParamsAt(model.adapterLayout.total);
    const loss = async (adapterParams: Float32Array) => {
      model.setAdapterParams(adapterParams);
      const scored = await model.score(batch, 1);
      scored.free();
      return scored.logprobs.reduce((sum, row, i) => row.reduce((s, lp, t) => s + lp * coef[i][t], sum), 0);
    };
    model.setAdapterParams(at);
    const [gradient] = (await scoreAndBackward(model, batch, coef, 1)).gradients;
    for (let trial = 0; trial < 4; trial++) {
      const rng = new CounterRng(keyFor(20 + trial, STREAMS.data));
      const direction = Float32Array.from(at, () => rng.normal());
      const h = 2 ** -7;
      const shifted = (by: number) => at.map((x, i) => x + by * direction[i]);
      const slope = async (by: number) => ((await loss(shifted(by))) - (await loss(shifted(-by)))) / (2 * by);
      // Richardson extrapolation removes the h² term.
      const numeric = (4 * (await slope(h / 2)) - (await slope(h))) / 3;
      const analytic = gradient.reduce((s, g, i) => s + g * direction[i], 0);
      expect(Math.abs(numeric - analytic) / (Math.abs(analytic) + 1)).toBeLessThan(1e-3);
    }
    model.free();
  });
});

describe('a masked sequence, packed', () => {
  const config = SMALL.qwen3;
  const [episode] = batchOf(config);

  it('has a row for every token to which another attends, and logits only for trained tokens', () => {
    const packed = pack([episode], 1, config.maxPositions);
    const whole = pack([{ ...episode, mask: undefined }], 1, config.maxPositions);
    for (const name of ['rows', 'ids', 'pos', 'ranges', 'qEnd', 'segments'] as const)
      expect(packed[name]).toEqual(whole[name]);
    expect([packed.targetRows.length, whole.targetRows.length]).toEqual([9, 15]);
    expect([...packed.targetRows]).toEqual([0, 1, 2, 7, 8, 9, 10, 11, 14].map((t) => 5 + t));
    expect([...packed.targetIds]).toEqual(trainedPlaces(episode).map((t) => episode.completion[t]));
    expect(packed.targetCount).toEqual([9]);
    // Tokens after the last trained one cost nothing.
    const [, trailing] = batchOf(config);
    expect(pack([{ ...trailing, segment: 0 }], 1, config.maxPositions).rows).toBe(5 + 6);
  });

  it('is refused without a trained token or with a mask of the wrong length', () => {
    const refused = (mask: Uint8Array) => () => pack([{ ...episode, mask }], 1, config.maxPositions);
    expect(refused(new Uint8Array(15))).toThrow('none of the 15 completion tokens of sequence 0');
    expect(refused(new Uint8Array(14).fill(1))).toThrow('a mask of 14 entries for 15 tokens');
  });

  it('counts its trained tokens and the most that budgets allow', () => {
    expect(trainedTokens(episode)).toBe(9);
    expect(trainedTokens({ completion: episode.completion })).toBe(15);
    expect(mostTrainedTokens({ maxNew: 100, maxTokens: 350, maxTurns: 4 })).toBe(350);
    expect(mostTrainedTokens({ maxNew: 80, maxTokens: 350, maxTurns: 4 })).toBe(320);
  });
});
