// Tests episodes of several turns on one key/value cache, on both devices: equality with sampling that prefills every turn from scratch,
// independence of the batch and of late environments, every budget, and which tokens go through the model.

import { DeviceError, ShapeError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { type Device, readUints } from '../../kernels/device.ts';
import { Arena } from '../arena.ts';
import { Engine } from '../decoder/engine.ts';
import { sampleBatch } from '../rollout/episode-batch.ts';
import { bothDevices } from '../testing/devices.ts';
import { ENDS, episodes, shown } from '../testing/episodes.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../testing/models.ts';
import type { EpisodeRequest, ModelConfig, RolloutWork, SampledEpisode } from '../types.ts';
import { DeviceWeights } from '../weights/weights.ts';
import { trainedTokens } from './episode.ts';

const config = SMALL.qwen3;
const { devices: made, why } = await bothDevices();
afterAll(() => made.get('cpu')?.destroy());

async function engineOn(device: Device, config = SMALL.qwen3): Promise<Engine> {
  const engine = await Engine.create({ device, config, weights: randomWeights(config, 7, 1.5) });
  engine.setAdapterParams(Float32Array.from({ length: engine.adapterLayout.total }, (_, i) => 0.1 * Math.sin(i)));
  return engine;
}

const actIn =
  (config: ModelConfig): NonNullable<EpisodeRequest['act']> =>
  async (_, turn) =>
    shown(config, turn);
const act = actIn(config);

/** Samples every turn with `generate`, with everything before it as the prompt. */
async function resampleTurns(
  engine: Engine,
  { prompts, sequences, maxNew, maxTokens, temperature, endTokens }: EpisodeRequest,
  { tokens, turns }: SampledEpisode,
  i: number,
) {
  const { prompt, key } = sequences[i];
  const all = [];
  for (const [turn, { from }] of turns.entries()) {
    const [one] = await engine.generate({
      prompts: [[...prompts[prompt], ...tokens.slice(0, from)]],
      sequences: [{ prompt: 0, key: key(turn) }],
      maxNew: Math.min(maxNew, maxTokens - from),
      temperature,
      endTokens,
    });
    all.push(one);
  }
  return all;
}

describe.each([
  ['qwen3', 'cpu'],
  ['qwen3', 'webgpu'],
  ['qwen35', 'cpu'],
  ['qwen35', 'webgpu'],
] as const)('episodes of %s on %s', (model, kind) => {
  const config = SMALL[model];
  const act = actIn(config);
  it.for([
    ['sampled', 1],
    ['greedy', 0],
  ] as const)('%s: equal episodes in which every turn is prefilled from scratch', async ([, temperature], { skip }) => {
    const device = made.get(kind);
    if (!device) return skip(`no WebGPU adapter here: ${why}`);
    const engine = await engineOn(device, config);
    const request = { ...episodes(config), temperature, act };
    const found = await engine.generateEpisodes(request);
    expect(await engine.generateEpisodes(request)).toEqual(found);
    expect(found.reduce((sum, { turns }) => sum + turns.length, 0)).toBeGreaterThan(found.length);
    for (const [i, episode] of found.entries()) {
      const { tokens, mask, logprobs, turns } = episode;
      expect(logprobs).toHaveLength(trainedTokens({ completion: tokens, mask }));
      let trained = 0;
      for (const [turn, expected] of (await resampleTurns(engine, request, episode, i)).entries()) {
        const { from, to, ended } = turns[turn];
        expect({ tokens: tokens.slice(from, to), ended }).toEqual({ tokens: expected.tokens, ended: expected.ended });
        const own = logprobs.slice(trained, trained + to - from);
        trained += to - from;
        // The SIMD kernels sum over all keys in one order; a GPU sums the prompt's keys and the row's own separately.
        if (kind === 'cpu') expect(own).toEqual(expected.logprobs);
        else expect(relativeError(own, expected.logprobs)).toBeLessThan(1e-5);
        // The tokens between two turns are the observation.
        const next = turns[turn + 1]?.from ?? to;
        if (next > to) expect(tokens.slice(to, next)).toEqual(shown(config, expected));
        expect([...mask.slice(from, next)]).toEqual([
          ...tokens.slice(from, next).map((_, t) => (t < to - from ? 1 : 0)),
        ]);
      }
    }
    engine.free();
  });

  it('do not depend on the batch, its order, or when environments answer', async ({ skip }) => {
    const device = made.get(kind);
    if (!device) return skip(`no WebGPU adapter here: ${why}`);
    const engine = await engineOn(device, config);
    const request = { ...episodes(config), act };
    const whole = await engine.generateEpisodes(request);
    expect(new Set(whole.map(({ turns }) => turns.length)).size).toBeGreaterThan(1);
    for (const [i, sequence] of request.sequences.entries()) {
      expect(await engine.generateEpisodes({ ...request, sequences: [sequence] })).toEqual([whole[i]]);
    }
    const reversed = await engine.generateEpisodes({ ...request, sequences: request.sequences.toReversed() });
    expect(reversed.toReversed()).toEqual(whole);
    // Each environment answers after a different number of event-loop turns.
    let [under, most] = [0, 0];
    const late: EpisodeRequest['act'] = async (episode, turn) => {
      most = Math.max(most, ++under);
      for (let i = 0; i < (episode * 7 + turn.turn * 5) % 11; i++) await new Promise(setImmediate);
      under--;
      return shown(config, turn);
    };
    expect(await engine.generateEpisodes({ ...request, act: late, breathe: () => new Promise(setImmediate) })).toEqual(
      whole,
    );
    expect(most).toBeGreaterThan(1);
    engine.free();
  });

  it('begin with the bytes of a single-turn sample, and equal it without an environment', async ({ skip }) => {
    const device = made.get(kind);
    if (!device) return skip(`no WebGPU adapter here: ${why}`);
    const engine = await engineOn(device, config);
    const { sequences, ...request } = { ...episodes(config) };
    const single = await engine.generate({ ...request, sequences: sequences.map((s) => ({ ...s, key: s.key(0) })) });
    const first = (found: readonly SampledEpisode[]) =>
      found.map(({ tokens, logprobs, turns: [{ to, ended }] }) => ({
        tokens: tokens.slice(0, to),
        logprobs: logprobs.slice(0, to),
        ended,
      }));
    expect(first(await engine.generateEpisodes({ ...request, sequences, act }))).toEqual(single);
    const alone = await engine.generateEpisodes({ ...request, sequences, act: null });
    expect(first(alone)).toEqual(single);
    expect(alone.map(({ ended }) => ended)).toEqual(single.map(({ ended }) => (ended ? 'stop' : 'maxNew')));
    engine.free();
  });
});

describe('tokens that go through the model', () => {
  /** Wraps the CPU device, optionally with another kind, and counts how often each row of the first layer's keys is written. */
  function watched(device: Device, kind: Device['kind'] = 'cpu') {
    const written = new Map<number, number>();
    let embedded = 0;
    const reads: Promise<void>[] = [];
    const proxy = new Proxy(device, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (key === 'kind') return kind;
        if (key !== 'run') return typeof value === 'function' ? value.bind(target) : value;
        return (...[kernel, buffers, params]: Parameters<Device['run']>) => {
          const p = params as Record<string, number>;
          const write = (row: number) => written.set(row, (written.get(row) ?? 0) + 1);
          // The CPU device reads buffers before it returns, so their current contents are seen.
          if (kernel === 'gather_rows' && buffers[2].label === 'roll.x') embedded += p.rows;
          if (kernel === 'scatter_rows' && buffers[2].label === 'cache0.k') {
            const at = readUints(target, buffers[1], 0, p.rows);
            reads.push(
              at.then((rows) => {
                for (const row of rows) write(row + p.shift);
              }),
            );
          }
          if (kernel === 'gather_rows' && buffers[2].label === 'cache0.k') {
            for (let row = 0; row < p.rows; row++) write(row);
          }
          target.run(kernel, buffers, params);
        };
      },
    });
    const seen = async () => {
      await Promise.all(reads);
      return { written, embedded };
    };
    return { device: proxy, seen };
  }
  const promptTokens = 6 + 1 + 9;
  const total = (found: readonly SampledEpisode[]) => ({
    tokens: found.reduce((sum, { tokens }) => sum + tokens.length, 0),
    observed: found.reduce((sum, { tokens, logprobs }) => sum + tokens.length - logprobs.length, 0),
  });

  it('every token goes through once, except the last, to which no row attends', async () => {
    const { device, seen } = watched(await createCpuDevice());
    const weights = DeviceWeights.of(device, config, randomWeights(config, 7, 1.5));
    const request = { ...episodes(config), act };
    // The CPU checks for ended turns after every token, so no pads are decoded.
    const { episodes: found, work } = await sampleBatch(
      { device, config, weights, arena: new Arena(device) },
      request,
      { from: 0, to: 8, onTokens: () => {}, breathe: async () => {} },
    );
    const { written, embedded } = await seen();
    const { tokens, observed } = total(found);
    expect(observed).toBeGreaterThan(10);
    expect(new Set(written.values())).toEqual(new Set([1]));
    expect(written.size).toBe(promptTokens + tokens - found.length);
    expect(work).toEqual({
      prefilled: promptTokens + observed,
      decoded: tokens - observed - found.length,
      alike: 0,
      idle: 0,
    });
    expect(embedded).toBe(work.prefilled + work.decoded);
  });

  it('tokens and pads are counted separately', async () => {
    const { device, seen } = watched(await createCpuDevice(), 'webgpu');
    const engine = await Engine.create({ device, config, weights: randomWeights(config, 7, 1.5) });
    const works: RolloutWork[] = [];
    const found = await engine.generateEpisodes({ ...episodes(config), act, onWork: (work) => works.push(work) });
    const { tokens, observed } = total(found);
    const [{ prefilled, decoded, idle }] = works;
    expect(works).toHaveLength(1);
    expect(prefilled).toBe(promptTokens + observed);
    expect(decoded).toBeLessThanOrEqual(tokens - observed);
    expect(idle).toBeGreaterThan(0);
    expect((await seen()).embedded).toBe(prefilled + decoded + idle);
    // A turn's end token goes through the model either with pads, if its end was noticed late (a GPU is checked when a turn has
    // 1, 17, 33 … tokens, and at its limit), or with the observation; never with both. Nothing follows the last turn.
    let late = 0;
    for (const [i, sequence] of episodes(config).sequences.entries()) {
      const request = {
        ...episodes(config),
        sequences: [sequence],
        act,
        onWork: (work: RolloutWork) => works.push(work),
      };
      expect(await engine.generateEpisodes(request)).toEqual([found[i]]);
      const { turns, logprobs } = found[i];
      const isLate = ({ from, to }: { from: number; to: number }) =>
        (to - from) % 16 !== 1 && to - from < Math.min(request.maxNew, request.maxTokens - from);
      late += turns.slice(0, -1).filter(isLate).length;
      expect(works.at(-1)!.decoded).toBe(logprobs.length - (isLate(turns[turns.length - 1]) ? 0 : 1));
    }
    expect(late).toBeGreaterThan(1);
    engine.free();
  });

  it.each(['qwen3', 'qwen35'] as const)(
    'a long observation of %s is processed in pieces, with the same bytes as in one piece',
    async (model) => {
      const config = SMALL[model];
      const long = { ...config, maxPositions: 900 };
      const engine = await Engine.create({
        device: await createCpuDevice(),
        config: long,
        weights: randomWeights(config, 7, 1.5),
      });
      const page = randomIds(config, 8, 600);
      const request: EpisodeRequest = { ...episodes(config), maxTokens: 800, act: async () => page };
      const found = await engine.generateEpisodes(request);
      expect(found.every(({ turns, ended }) => turns.length === 2 && ended === 'maxTokens')).toBe(true);
      for (const [i, episode] of found.entries()) {
        const [, second] = await resampleTurns(engine, request, episode, i);
        const { from, to } = episode.turns[1];
        expect(episode.tokens.slice(from, to)).toEqual(second.tokens);
        expect(episode.logprobs.slice(-(to - from))).toEqual(second.logprobs);
      }
      engine.free();
    },
  );
});

describe('an episode ends', () => {
  const base = {
    prompts: [randomIds(config, 1, 6)],
    sequences: [{ prompt: 0, key: (turn: number): [number, number] => [turn, 9] }],
    temperature: 1,
    endTokens: [] as number[],
  };
  const run = async (settings: Partial<EpisodeRequest>) => {
    const engine = await engineOn(made.get('cpu')!);
    try {
      const budgets = { maxNew: 5, maxTokens: 40, maxTurns: 9 };
      const [episode] = await engine.generateEpisodes({ ...base, ...budgets, act: async () => null, ...settings });
      const { ended, tokens, turns } = episode;
      return { ended, length: tokens.length, spans: turns.map(({ from, to }) => [from, to]) };
    } finally {
      engine.free();
    }
  };
  const two = async () => [1, 2];

  it.each<[string, Partial<EpisodeRequest>, Awaited<ReturnType<typeof run>>]>([
    ['at the turn’s token limit', {}, { ended: 'maxNew', length: 5, spans: [[0, 5]] }],
    ['after one token', { maxNew: 1 }, { ended: 'maxNew', length: 1, spans: [[0, 1]] }],
    [
      'at the turn limit, if the environment continues after a truncated turn',
      { act: two, maxTurns: 2 },
      {
        ended: 'maxTurns',
        length: 12,
        spans: [
          [0, 5],
          [7, 12],
        ],
      },
    ],
    [
      'at the episode’s token limit, in the middle of a turn',
      { act: two, maxTokens: 10 },
      {
        ended: 'maxTokens',
        length: 10,
        spans: [
          [0, 5],
          [7, 10],
        ],
      },
    ],
    [
      'at the episode’s token limit, with one token left for the last turn',
      { act: two, maxTokens: 8 },
      {
        ended: 'maxTokens',
        length: 8,
        spans: [
          [0, 5],
          [7, 8],
        ],
      },
    ],
    [
      'before an observation that would leave no token, which is dropped',
      { act: two, maxTokens: 7 },
      { ended: 'maxTokens', length: 5, spans: [[0, 5]] },
    ],
    [
      'at an episode limit below the turn’s limit',
      { maxTokens: 3 },
      { ended: 'maxTokens', length: 3, spans: [[0, 3]] },
    ],
  ])('%s', async (_, settings, expected) => {
    expect(await run(settings)).toEqual(expected);
  });

  it('with reason `environment` only if the environment ended it', async () => {
    const engine = await engineOn(made.get('cpu')!);
    const request = { ...episodes(config), maxTokens: 40, act };
    const asked: string[] = [];
    const found = await engine.generateEpisodes({
      ...request,
      act: async (episode, turn) => {
        asked.push(`${episode}.${turn.turn}`);
        return act(episode, turn);
      },
    });
    // Every turn is reported once, in order within its episode.
    expect(asked.toSorted()).toEqual(
      found.flatMap(({ turns }, i) => turns.map((_, turn) => `${i}.${turn}`)).toSorted(),
    );
    const reasons = found.map(({ ended, turns, tokens }) => {
      const last = turns[turns.length - 1];
      expect(last.to).toBe(tokens.length);
      const reply = shown(config, { tokens: tokens.slice(last.from, last.to) });
      expect(ended === 'environment').toBe(reply === null && last.ended);
      if (ended === 'maxTurns') expect(turns).toHaveLength(4);
      return ended;
    });
    expect(new Set(reasons).size).toBeGreaterThan(1);
    for (const { tokens, turns } of found)
      for (const { from, to, ended } of turns)
        expect(tokens.slice(from, to).findIndex((id) => ENDS.includes(id))).toBe(ended ? to - from - 1 : -1);
    engine.free();
  });

  it('with the environment’s error, or on abort while one is pending; afterwards the engine is free again', async () => {
    const engine = await engineOn(made.get('cpu')!);
    const request = { ...base, maxNew: 4, maxTokens: 40, maxTurns: 3 };
    const never = new Promise<null>(() => {});
    const failing = () => {
      throw new Error('the tool is gone');
    };
    await expect(engine.generateEpisodes({ ...request, act: failing })).rejects.toThrow('the tool is gone');
    const stop = new AbortController();
    const act = () => {
      setTimeout(() => stop.abort());
      return never;
    };
    await expect(engine.generateEpisodes({ ...request, signal: stop.signal, act })).rejects.toThrow(StoppedError);
    await expect(engine.generateEpisodes({ ...request, act: async () => [] })).rejects.toThrow(ShapeError);
    const using: Promise<unknown>[] = [];
    const reentrant = async () => {
      using.push(engine.score([{ prompt: [1], completion: [2], segment: 0 }], 1));
      using.push(engine.generate({ ...base, sequences: [{ prompt: 0, key: [1, 2] }], maxNew: 2 }));
      expect(() => engine.setAdapterParams(engine.initialAdapterParams)).toThrow(DeviceError);
      return null;
    };
    const found = await engine.generateEpisodes({ ...request, act: reentrant });
    expect(found[0].ended).toBe('maxNew');
    for (const use of using) await expect(use).rejects.toThrow('still sampling');
    expect(await engine.generateEpisodes({ ...request, act: async () => null })).toEqual(found);
    engine.free();
  });

  it.each(['maxNew', 'maxTokens', 'maxTurns'])('is refused with a %s of 0', async (name) => {
    await expect(run({ [name]: 0 })).rejects.toThrow(`${name} is 0`);
  });

  it('is refused if prompt and budget exceed the model’s positions', async () => {
    await expect(run({ maxTokens: config.maxPositions })).rejects.toThrow('6 prompt tokens + 64 new ones');
  });
});
