// Tests that the interval between checks for ended turns (episode-batch.ts) changes only the read-backs and the computed pads, not the
// sampled tokens: 1, 4 and 16 tokens, on one WebGPU adapter.
import { describe, expect, it } from 'vitest';
import type { Device, DeviceKind } from '../../kernels/device.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { Engine } from '../decoder/engine.ts';
import { sharedGpu } from '../testing/devices.ts';
import { randomIds, randomWeights, SMALL } from '../testing/models.ts';
import type { RolloutWork, TurnSpan } from '../types.ts';

const { device: webgpu, why } = await sharedGpu();
const config = SMALL.qwen3;
const weights = randomWeights(config, 7, 1.5);

/** Device properties that make the batch choose each interval (tokens). */
const LOOKS: Readonly<Record<number, { kind: DeviceKind; isSoftware: boolean }>> = {
  1: { kind: 'cpu', isSoftware: true },
  4: { kind: 'webgpu', isSoftware: true },
  16: { kind: 'webgpu', isSoftware: false },
};

/** The adapter with the properties that give this interval; counts read-backs and calls. */
function looking(every: number) {
  const seen = { read: 0, run: 0 };
  const device = new Proxy<Device>(webgpu!, {
    get(target, key) {
      if (key === 'kind' || key === 'isSoftware') return LOOKS[every][key];
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (key === 'read' || key === 'run') seen[key]++;
        return value.apply(target, args);
      };
    },
  });
  return { device, seen };
}

interface Batch {
  count: number;
  maxNew: number;
  endTokens: number[];
  /** Whether an environment answers, for three turns. */
  acts?: boolean;
}

async function sampled(every: number, { count, maxNew, endTokens, acts = false }: Batch) {
  const { device, seen } = looking(every);
  const engine = await Engine.create({ device, config, weights, adapter: 'none' });
  seen.read = 0;
  seen.run = 0;
  let work: RolloutWork | null = null;
  const episodes = await engine.generateEpisodes({
    // Every sequence has its own prompt, so that no rows are shared.
    prompts: Array.from({ length: count }, (_, i) => randomIds(config, i + 1, 2 + (i % 4))),
    sequences: Array.from({ length: count }, (_, i) => ({
      prompt: i,
      key: (turn) => keyFor(5, STREAMS.rollout, i, turn),
      maxNew: maxNew - (i % 3),
    })),
    maxNew,
    maxTokens: acts ? 3 * maxNew : maxNew,
    maxTurns: acts ? 3 : 1,
    temperature: 1,
    endTokens,
    act: acts ? async (episode, { tokens }) => [episode % 7, tokens.length % 7] : null,
    onWork: (done) => {
      work = done;
    },
  });
  engine.free();
  const copies = episodes.map((one) => ({ ...one, tokens: [...one.tokens], logprobs: [...one.logprobs] }));
  return { copies, ...seen, work: work! as RolloutWork };
}

const many = Array.from({ length: 6 }, (_, i) => 5 * i + 1);

describe.skipIf(!webgpu)(`checks for ended turns ${why}`, () => {
  it.each<Batch>([
    { count: 1, maxNew: 30, endTokens: [2] },
    { count: 8, maxNew: 30, endTokens: [2, 9] },
    { count: 11, maxNew: 24, endTokens: many },
    { count: 8, maxNew: 12, endTokens: many, acts: true },
  ])('%j: same bytes at any interval', async (batch) => {
    const [always, soon, late] = [await sampled(1, batch), await sampled(4, batch), await sampled(16, batch)];
    expect(soon.copies).toEqual(always.copies);
    expect(late.copies).toEqual(always.copies);
    if (batch.count === 1) return;
    const lengths = new Set(always.copies.map(({ turns }) => turns[0].to));
    expect(lengths.size).toBeGreaterThan(3);
    expect(always.copies.some(({ turns }) => turns.some(({ ended }: TurnSpan) => ended))).toBe(true);
    expect(always.work.idle).toBe(0);
    expect(soon.work.idle).toBeGreaterThan(0);
    expect(late.work.idle).toBeGreaterThan(soon.work.idle);
  });

  it('reads back once per interval, with equally many calls', async () => {
    const batch = { count: 1, maxNew: 35, endTokens: [] };
    const all = [await sampled(1, batch), await sampled(4, batch), await sampled(16, batch)];
    // Two further reads at the end fetch tokens and log-probabilities.
    expect(all.map(({ read }) => read - 2)).toEqual([34, 9, 3]);
    expect(new Set(all.map(({ run }) => run)).size).toBe(1);
  });
});
