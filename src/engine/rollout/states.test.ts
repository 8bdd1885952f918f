// Tests the states of linear layers during rollouts: prompts as runs, sequences that share a state, and decoding that equals scoring the
// whole text, on any number of threads.
import { expect, it } from 'vitest';
import { RUN_WORDS } from '../../kernels/contract/delta.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { nodeThreads } from '../../kernels/cpu/threads/threads.node.ts';
import { type Device, readFloats, readUints } from '../../kernels/device.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { Arena } from '../arena.ts';
import { Engine } from '../decoder/engine.ts';
import { deltaSizes } from '../layer-types.ts';
import { deltaPasses } from '../passes/delta-passes.ts';
import { sharedPrefixes } from '../passes/prefixes.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../testing/models.ts';
import type { GenerateRequest } from '../types.ts';
import { DeviceWeights } from '../weights/weights.ts';
import { RolloutRows } from './rows.ts';
import { prefixRuns, RolloutStates, type SharedRun } from './states.ts';

const config = SMALL.qwen35;
const weights = randomWeights(config, 7, 1.5);

it('prompts are split into runs where one ends or diverges from another', () => {
  const prompts = [[1, 2, 3, 4], [1, 2, 5], [1, 2], [6], [1, 2, 3, 4], [1, 2, 5, 7, 8]];
  const { runs, endOf } = prefixRuns(sharedPrefixes(prompts));
  expect(runs.map(({ from, to, parent, depth }) => [from, to, parent, depth])).toEqual([
    [0, 2, -1, 0],
    [2, 4, 0, 1],
    [4, 5, 0, 1],
    [5, 6, -1, 0],
    [6, 8, 2, 2],
  ]);
  expect(endOf).toEqual([1, 2, 0, 3, 1, 4]);
});

it('sequences share a state until they diverge, and none overwrites a state that another still reads', async () => {
  const device = await createCpuDevice();
  const ctx = {
    device,
    config,
    weights: DeviceWeights.of(device, config, weights),
    arena: new Arena(device),
    delta: await deltaPasses(config),
  };
  const states = new RolloutStates(
    ctx,
    sharedPrefixes([
      [1, 2],
      [1, 3],
    ]),
    5,
  );
  /** Represents the state of each slot by the list of its updates. */
  const held = new Map<number, string>();
  const truth = new Map<number, string>();
  const apply = async (meta: ReturnType<RolloutStates['move']>, text: (from: number) => string) => {
    const table = await readUints(
      device,
      meta.table,
      0,
      RUN_WORDS * meta.calls.reduce((sum, { count }) => sum + count, 0),
    );
    for (const { count, runOff } of meta.calls) {
      const before = new Map(held);
      const written = new Set<number>();
      for (let run = runOff; run < runOff + count; run++) {
        const [from, , read, write] = table.subarray(run * RUN_WORDS, (run + 1) * RUN_WORDS);
        expect(written.has(write)).toBe(false);
        written.add(write);
        held.set(write, `${before.get(read) ?? ''}${text(from)}`);
      }
      // Runs of one call may be computed in any order, since a run reads no slot that another run writes.
      for (let run = runOff; run < runOff + count; run++) {
        const [, , read, write] = table.subarray(run * RUN_WORDS, (run + 1) * RUN_WORDS);
        if (read !== write) expect(written.has(read)).toBe(false);
      }
    }
  };
  await apply(states.prefill([0, 0, 0, 1, 1]), (from) => 'abc'[from]);
  for (const [slot, text] of ['ab', 'ab', 'ab', 'ac', 'ac'].entries()) truth.set(slot, text);
  const step = async (...groups: [slots: number[], text: string][]) => {
    const runs: SharedRun[] = groups.map(([slots], row) => ({ from: row, to: row + 1, slots }));
    await apply(states.move(runs), (from) => groups[from][1]);
    for (const [slots, text] of groups) for (const slot of slots) truth.set(slot, truth.get(slot)! + text);
    const placeOf = Reflect.get(states, 'placeOf') as number[];
    for (const [slot, text] of truth) expect(held.get(placeOf[slot]), `slot ${slot}`).toBe(text);
  };
  await step([[0, 2], 'x'], [[1], 'y'], [[3, 4], 'z']);
  await step([[1], 'u'], [[0], 'v']); // slot 2 keeps the state that slot 0 leaves
  await step([[2], 'v'], [[3], 'w'], [[4], 'w'], [[0], 'q']);
  await step([[3, 4], 'e'], [[0], 'a'], [[1], 'b'], [[2], 'c']); // equal again, but stored twice
  await step([[4], 'f'], [[3], 'g']);
  ctx.weights.free();
  ctx.arena.free();
});

const PROMPTS = [
  randomIds(config, 1, 9),
  [...randomIds(config, 1, 5), ...randomIds(config, 2, 3)],
  randomIds(config, 1, 5),
];
const request: GenerateRequest = {
  prompts: PROMPTS,
  sequences: Array.from({ length: 9 }, (_, i) => ({ prompt: i % 3, key: keyFor(4, STREAMS.rollout, i) })),
  maxNew: 20,
  temperature: 0.6,
  endTokens: [3],
};
const engineOn = (device: Device) => Engine.create({ device, config, weights });

it('a sequence has the same bits alone or among others, and on any number of threads', async () => {
  const device = await createCpuDevice();
  const engine = await engineOn(device);
  const all = await engine.generate(request);
  expect(new Set(all.map(({ tokens }) => tokens.length)).size).toBeGreaterThan(1);
  for (const [i, sequence] of request.sequences.entries())
    expect(await engine.generate({ ...request, sequences: [sequence] })).toEqual([all[i]]);
  engine.free();
  for (const count of [2, 3, 8]) {
    const team = await createCpuDevice({ threads: { ...nodeThreads(count)!, worth: 1 } });
    const other = await engineOn(team);
    expect(await other.generate(request), `${count} threads`).toEqual(all);
    other.free();
    team.destroy();
  }
}, 60_000);

it('decoding token by token gives the score of the whole text', async () => {
  const engine = await engineOn(await createCpuDevice());
  const all = await engine.generate({ ...request, temperature: 1 });
  const sequences = all.map(({ tokens: completion }, i) => ({ prompt: PROMPTS[i % 3], completion, segment: 0 }));
  const together = await engine.score(sequences, 1);
  const logprobs = together.logprobs.map((own) => Float32Array.from(own));
  together.free();
  for (const [i, { logprobs: sampled }] of all.entries()) {
    const alone = await engine.score([sequences[i]], 1);
    expect(alone.logprobs[0]).toEqual(logprobs[i]);
    alone.free();
    // A score takes logarithms of whole rows of logits at once, in another order.
    expect(relativeError(sampled, logprobs[i])).toBeLessThan(1e-6);
  }
  engine.free();
});

it('a step leaves the states that a prefill of the longer text leaves', async () => {
  const device = await createCpuDevice();
  const loaded = DeviceWeights.of(device, config, weights);
  const prompt = randomIds(config, 5, 7);
  const statesAfter = async (prompts: number[][], steps: number, first: number[]) => {
    const arena = new Arena(device);
    const ctx = { device, config, weights: loaded, arena, delta: await deltaPasses(config) };
    const rows = new RolloutRows(ctx, {
      prompts,
      promptOf: [0],
      room: 12,
      maxNew: 8,
      temperature: 0,
      endTokens: [],
      grows: true,
    });
    rows.prefill([[0, 0]]);
    if (first.length > 0) rows.append([{ slot: 0, at: 0, tokens: first }]);
    for (let step = 0; step < steps; step++) {
      rows.setLayout([{ slot: 0, fed: first.length + step, sampled: 1 + step }], null);
      await rows.step();
    }
    const { tokens } = await rows.sampledTokens();
    const { state, convState } = deltaSizes(config);
    const place = (Reflect.get(Reflect.get(rows, 'states') as object, 'placeOf') as number[])[0];
    const found = [];
    for (const layer of [0, 2]) {
      found.push(await readFloats(device, arena.take(`cache${layer}.state`, 1), place * state, state));
      found.push(await readFloats(device, arena.take(`cache${layer}.past`, 1), place * convState, convState));
    }
    arena.free();
    return { found, sampled: [...tokens.subarray(0, steps + 1)] };
  };
  const { found, sampled } = await statesAfter([prompt], 4, []);
  expect(found[0].some((x) => x !== 0)).toBe(true);
  expect((await statesAfter([[...prompt, ...sampled.slice(0, 4)]], 0, [])).found).toEqual(found);
  expect((await statesAfter([prompt], 0, sampled.slice(0, 4))).found).toEqual(found);
  expect((await statesAfter([prompt.slice(0, 1)], 2, [...prompt.slice(1), ...sampled.slice(0, 2)])).found).toEqual(
    found,
  );
  loaded.free();
});
