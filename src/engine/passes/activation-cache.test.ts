// Tests that scoring reuses a rollout's activations: identical bytes, fewer rows computed, and no reuse once the weights have changed;
// and the room for a large model's rows.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { Engine } from '../decoder/engine.ts';
import { randomIds, randomWeights, SMALL } from '../testing/models.ts';
import type { Sequence } from '../types.ts';
import { cachedLengths, cacheRoom } from './activation-cache.ts';

describe.each(['qwen3', 'qwen2', 'llama'] as const)('%s', (name) => {
  const config = SMALL[name];
  const prompts = [randomIds(config, 1, 9), [...randomIds(config, 1, 4), ...randomIds(config, 2, 3)]];
  const taught = randomIds(config, 3, 6);

  /** Scores a rollout together with a teacher's rows; `moved`: the adapter parameters change in between. */
  async function step(willScore: boolean, moved = false) {
    const device = await createCpuDevice();
    const engine = await Engine.create({ device, config, weights: randomWeights(config, 7, 1.5) });
    let computed = 0;
    const run = device.run.bind(device);
    device.run = (kernel, buffers, params) => {
      if (kernel === 'swiglu') computed += (params as { n: number }).n / config.ffn;
      run(kernel, buffers, params);
    };
    const adapterParams = engine.initialAdapterParams.map((_, i) => 0.02 * Math.sin(i));
    engine.setAdapterParams(adapterParams);
    // At a low temperature, members of a group share their first tokens.
    const generated = await engine.generate({
      prompts,
      sequences: [0, 0, 0, 1, 1].map((prompt, i) => ({ prompt, key: [5, i] as const })),
      maxNew: 8,
      temperature: 0.3,
      endTokens: [],
      willScore,
    });
    if (moved) engine.setAdapterParams(adapterParams.map((x) => x * 1.5));
    computed = 0;
    const sequences: Sequence[] = generated.map(({ tokens }, i) => ({
      prompt: prompts[i < 3 ? 0 : 1],
      completion: tokens,
      segment: 0,
    }));
    for (const prompt of prompts) sequences.push({ prompt, completion: taught, segment: 1 });
    const scores = [];
    // The second score overwrites rows that the first one appended to the rollout's.
    for (const some of [sequences, sequences.slice(2)]) {
      const batch = await engine.score(some, 2);
      const { logprobs, entropy } = batch;
      const gradients = await batch.backward(logprobs.map((values) => values.map((_, t) => Math.cos(t))));
      batch.free();
      scores.push({ logprobs, entropy, gradients });
    }
    engine.free();
    expect(device.memory().allocated).toBe(0);
    device.destroy();
    return { scores, computed };
  }

  it('reuses what a rollout has computed, with identical bytes', async () => {
    const [kept, anew] = [await step(true), await step(false)];
    expect(kept.scores).toEqual(anew.scores);
    expect(kept.computed).toBeLessThan(anew.computed / 1.5);
  });

  it('reuses nothing once the weights have changed', async () => {
    const [kept, anew] = [await step(true, true), await step(false, true)];
    expect(kept).toEqual(anew);
  });
});

it('has room for some of a large model’s rows', () => {
  const config = { ...SMALL.qwen3, hiddenSize: 1024, ffn: 3072, layers: 28 };
  const room = cacheRoom(config, 1e6);
  expect(room).toBeGreaterThan(10);
  const bytes = 4 * cachedLengths(config, room).reduce((sum, length) => sum + length, 0);
  expect(bytes).toBeLessThanOrEqual(96 * 2 ** 20);
  expect(bytes).toBeGreaterThan(90 * 2 ** 20);
});
