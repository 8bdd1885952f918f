// Tests sequences that share all tokens so far: groups worked out by hand, and rollouts that equal each sequence sampled alone.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { Engine } from '../decoder/engine.ts';
import { randomIds, randomWeights, SMALL } from '../testing/models.ts';
import type { GenerateRequest, RolloutWork } from '../types.ts';
import { PrefixSharing } from './prefix-sharing.ts';

const plain = (alike: ReturnType<PrefixSharing['feed']>) => alike && { ...alike, rowOf: [...alike.rowOf] };

it('sequences that have diverged never share again, whichever leave and in whatever order the others are listed', () => {
  const groups = new PrefixSharing([0, 0, 0, 1, 1]);
  expect(plain(groups.feed([0, 1, 2, 3, 4], [5, 5, 5, 5, 5]))).toEqual({ firstOf: [0, 3], rowOf: [0, 0, 0, 1, 1] });
  expect(plain(groups.feed([0, 1, 2, 3, 4], [6, 7, 6, 6, 6]))).toEqual({ firstOf: [0, 1, 3], rowOf: [0, 1, 0, 2, 2] });
  expect(plain(groups.feed([4, 2, 1, 0], [6, 6, 6, 6]))).toEqual({ firstOf: [0, 1, 2], rowOf: [0, 1, 2, 1] });
  groups.part(2);
  // No two sequences share their tokens any more.
  expect(groups.feed([1, 2, 0], [6, 6, 6])).toBe(null);
});

describe.each(['qwen3', 'qwen35'] as const)('%s', (name) => {
  const config = SMALL[name];
  const PROMPTS = [randomIds(config, 1, 5), randomIds(config, 2, 3)];
  const request = (temperature: number): GenerateRequest => ({
    prompts: PROMPTS,
    sequences: Array.from({ length: 10 }, (_, i) => ({ prompt: i % 2, key: keyFor(4, STREAMS.rollout, i) })),
    maxNew: 12,
    temperature,
    endTokens: [3],
  });
  const engine = async () =>
    Engine.create({ device: await createCpuDevice(), config, weights: randomWeights(config, 7, 1.5) });

  it('up to 64 end tokens work: each stops its sequence at once, alone or when sequences share tokens; more are refused', async () => {
    const model = await engine();
    const free = await model.generate({ ...request(1), endTokens: [] });
    // Every third id: 20 more than the kernel's two parameters can name.
    const endTokens = Array.from({ length: 22 }, (_, i) => 3 * i);
    const ended = await model.generate({ ...request(1), endTokens });
    for (const [i, { tokens }] of free.entries()) {
      const at = tokens.findIndex((id) => endTokens.includes(id));
      expect(ended[i].tokens).toEqual(at < 0 ? tokens : tokens.slice(0, at + 1));
      expect(ended[i].ended).toBe(at >= 0);
    }
    const stoppedByOthers = ended.filter(({ tokens }) => endTokens.indexOf(tokens[tokens.length - 1]) >= 2);
    expect(stoppedByOthers.length).toBeGreaterThan(0);
    const tooMany = Array.from({ length: 65 }, (_, i) => i);
    await expect(model.generate({ ...request(1), endTokens: tooMany })).rejects.toThrow('65 end tokens');
    model.free();
  });

  it.each([0, 0.4, 1])(
    'at temperature %s every sequence equals the same sequence sampled alone, and shared rows are counted',
    async (temperature) => {
      const model = await engine();
      const asked = request(temperature);
      const works: RolloutWork[] = [];
      const together = await model.generateEpisodes({
        ...asked,
        sequences: asked.sequences.map(({ prompt, key }) => ({ prompt, key: () => key })),
        maxTokens: 12,
        maxTurns: 1,
        act: null,
        onWork: (work: RolloutWork) => works.push(work),
      });
      for (const [i, sequence] of asked.sequences.entries()) {
        const [alone] = await model.generate({ ...asked, sequences: [sequence] });
        expect({ tokens: together[i].tokens, logprobs: together[i].logprobs }).toEqual({
          tokens: alone.tokens,
          logprobs: alone.logprobs,
        });
      }
      let [fed, spared] = [0, 0];
      for (let t = 1; t < 12; t++) {
        const rows = together.flatMap(({ tokens }, i) => (tokens.length > t ? [`${i % 2} ${tokens.slice(0, t)}`] : []));
        const distinct = new Set(rows).size;
        fed += rows.length;
        spared += distinct <= 0.9 * rows.length ? rows.length - distinct : 0;
      }
      expect(works).toMatchObject([{ decoded: fed, alike: spared, idle: 0 }]);
      expect(spared).toBeGreaterThan(0);
      if (temperature === 0) expect(spared).toBe((fed * 4) / 5);
      model.free();
    },
  );
});
