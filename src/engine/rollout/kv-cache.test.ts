// Tests rollouts with an f16 key/value cache: a sequence does not depend on its batch, devices agree, scores and later rollouts are
// unaffected, and the cache takes half of the memory.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { Engine } from '../decoder/engine.ts';
import { sharedGpu } from '../testing/devices.ts';
import { randomIds, randomWeights, SMALL } from '../testing/models.ts';
import type { EpisodeRequest, GenerateRequest } from '../types.ts';

const { device: webgpu, why } = await sharedGpu();
const NEW = 10;

describe.each(['qwen3', 'llama', 'qwen35'] as const)('%s', (name) => {
  const config = SMALL[name];
  const prompts = [randomIds(config, 1, 5), randomIds(config, 2, 3)];
  const request: GenerateRequest = {
    prompts,
    sequences: Array.from({ length: 8 }, (_, i) => ({ prompt: i % 2, key: keyFor(4, STREAMS.rollout, i) })),
    maxNew: NEW,
    temperature: 0.7,
    endTokens: [3, 6, 9, 12],
    kvCache: 'f16',
  };
  const on = (device: Device) => Engine.create({ device, config, weights: randomWeights(config, 7, 1.5) });
  /** Every episode receives an observation of two tokens after its first turn, and then has a second turn. */
  const episodes: EpisodeRequest = {
    ...request,
    sequences: request.sequences.map(({ prompt, key }, i) => ({
      prompt,
      key: (turn: number) => (turn === 0 ? key : keyFor(4, STREAMS.rollout, i, turn)),
    })),
    maxNew: 5,
    maxTokens: 14,
    maxTurns: 2,
    act: async () => [4, 5],
  };

  const devices: readonly (readonly [string, Device | undefined])[] = [
    ['the CPU', undefined],
    ...(webgpu ? [[`WebGPU ${why}`, webgpu] as const] : []),
  ];
  it.each(devices)('a sequence has the same tokens alone and beside others, on %s', async (_, given) => {
    const engine = await on(given ?? (await createCpuDevice()));
    const together = await engine.generate(request);
    expect(new Set(together.map(({ tokens }) => tokens.length)).size).toBeGreaterThan(1);
    for (const [i, sequence] of request.sequences.entries())
      expect(await engine.generate({ ...request, sequences: [sequence] })).toEqual([together[i]]);
    const turns = await engine.generateEpisodes(episodes);
    expect(turns.some(({ turns }) => turns.length === 2)).toBe(true);
    for (const [i, sequence] of episodes.sequences.entries())
      expect(await engine.generateEpisodes({ ...episodes, sequences: [sequence] })).toEqual([turns[i]]);
    engine.free();
  });

  it('devices agree, and with f32 up to the rounding', async () => {
    const made: Device[] = [
      await createCpuDevice({ precision: 'f64' }),
      await createCpuDevice({ simd: false }),
      await createCpuDevice({ isLean: true }),
      ...(webgpu ? [webgpu] : []),
    ];
    const generated = [];
    for (const device of made) {
      const engine = await on(device);
      generated.push(await engine.generate(request));
      if (device === made[0]) generated.push(await engine.generate({ ...request, kvCache: 'f32' }));
      engine.free();
    }
    const [exact, plain, ...others] = generated;
    const differenceTo = (of: typeof exact) => {
      let most = 0;
      for (const [i, { tokens, logprobs }] of of.entries()) {
        // Rounding may change the choice between two equally likely tokens.
        const same = tokens.findIndex((token, t) => token !== exact[i].tokens[t]);
        const count = same < 0 ? logprobs.length : same;
        expect(count).toBeGreaterThan(0);
        for (let t = 0; t < count; t++) most = Math.max(most, Math.abs(logprobs[t] - exact[i].logprobs[t]));
      }
      return most;
    };
    for (const other of others) expect(differenceTo(other)).toBeLessThan(5e-3);
    expect(differenceTo(plain)).toBeLessThan(2e-2);
    expect(differenceTo(plain)).toBeGreaterThan(1e-6);
  });

  it('a score and later f32 rollouts are unaffected by it', async () => {
    const [used, fresh] = [await on(await createCpuDevice()), await on(await createCpuDevice())];
    const generated = await used.generate({ ...request, willScore: true });
    const sequences = generated.map(({ tokens: completion }, i) => ({
      prompt: prompts[i % 2],
      completion,
      segment: 0,
    }));
    const scoreOf = async (engine: Engine) => {
      const batch = await engine.score(sequences, 1);
      const gradient = await batch.backward(
        sequences.map(({ completion }) => new Float32Array(completion.length).fill(1)),
      );
      batch.free();
      return [batch.logprobs, gradient];
    };
    expect(await scoreOf(used)).toEqual(await scoreOf(fresh));
    const plain = { ...request, kvCache: undefined };
    expect(await used.generate(plain)).toEqual(await fresh.generate(plain));
    expect(await used.generate(request)).toEqual(generated);
    used.free();
    fresh.free();
  });

  it('keys and values take half the memory of f32', async () => {
    const lengths = async (kvCache: 'f32' | 'f16') => {
      const device = await createCpuDevice();
      const found = new Map<string, number>();
      const alloc = device.alloc.bind(device);
      device.alloc = (length, dtype, label) => {
        if (label.startsWith('cache')) found.set(label, length);
        return alloc(length, dtype, label);
      };
      const engine = await on(device);
      await engine.generate({ ...request, kvCache });
      engine.free();
      return found;
    };
    const [whole, half] = [await lengths('f32'), await lengths('f16')];
    // The states of linear layers stay in f32.
    expect([...whole.keys()].some((label) => label.endsWith('.k'))).toBe(true);
    const wanted = [...whole].map(([label, length]) => [label, /\.[kv]$/.test(label) ? length / 2 : length]);
    expect([...half]).toEqual(wanted);
  });
});
