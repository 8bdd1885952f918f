// Tests that results do not depend on threads: every kernel, split wherever possible, gives the same bits with 2, 3 and 8 threads as with
// one. Also that a failed thread is reported.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../../rng/index.ts';
import { put } from '../../device.ts';
import { ops } from '../../ops.ts';
import { caseName, kernelCases, runCase } from '../../testing/cases.ts';
import { type CpuDevice, createCpuDevice } from '../device.ts';
import { allowFused } from '../fused.node.ts';
import { BOARD, BOARD_BYTES, type HelperInit } from './helper.ts';
import { Team } from './team.ts';
import { nodeThreads } from './threads.node.ts';

allowFused();
const host = (count: number) => ({ ...nodeThreads(count)!, worth: 1 });

describe.each([
  ['CPU (WASM SIMD)', false],
  ['CPU (WASM SIMD, fused)', true],
] as const)('%s on 1, 2, 3 and 8 threads', (name, fused) => {
  let alone: CpuDevice;
  let teams: CpuDevice[];
  beforeAll(async () => {
    alone = await createCpuDevice({ fused });
    teams = await Promise.all([2, 3, 8].map((count) => createCpuDevice({ fused, threads: host(count) })));
  });
  afterAll(() => {
    for (const device of teams) device.destroy();
  });

  it('has the requested number of threads', () => {
    expect([alone, ...teams].map(({ threads }) => threads)).toEqual([1, 2, 3, 8]);
    for (const device of [alone, ...teams]) expect(device.name).toBe(name);
  });

  it('every kernel gives the same bits', { timeout: 60_000 }, async () => {
    let cut = 0;
    for (const device of teams) {
      const { team } = device.simd!;
      const run = team!.run.bind(team);
      team!.run = (...call) => {
        cut++;
        run(...call);
      };
    }
    for (const one of kernelCases()) {
      const expected = await runCase(alone, one);
      for (const device of teams)
        expect(await runCase(device, one), `${caseName(one)}, ${device.threads}`).toEqual(expected);
    }
    expect(cut).toBeGreaterThan(300);
  });

  it('the number of active threads may change between two calls', async () => {
    const device = await createCpuDevice({ fused, threads: { ...host(3), atFirst: 1 } });
    const calls: number[] = [];
    const { team } = device.simd!;
    const run = team!.run.bind(team);
    team!.run = (name, pieces) => {
      calls.push(device.threads);
      run(name, pieces);
    };
    const cases = kernelCases().filter((_, i) => i % 9 === 0);
    for (const [i, one] of cases.entries()) {
      device.limitThreads([1, 3, 2, 99][i % 4]);
      expect(await runCase(device, one), caseName(one)).toEqual(await runCase(alone, one));
    }
    expect(new Set(calls)).toEqual(new Set([2, 3]));
    device.destroy();
  });

  it('a product split as in normal use gives the same bits, whichever side is longer', async () => {
    const rng = CounterRng.of(6, STREAMS.test);
    const devices = [alone, await createCpuDevice({ fused, threads: nodeThreads(2) })];
    for (const [m, n, k] of [
      [333, 130, 100],
      [61, 517, 100],
    ]) {
      const x = Float32Array.from({ length: m * k }, () => rng.normal());
      const y = Float32Array.from({ length: n * k }, () => rng.normal());
      const got = [];
      for (const device of devices) {
        const [a, b, c] = [put(device, x, 'a'), put(device, y, 'b'), device.alloc(m * n, 'f32', 'c')];
        ops.matmul(device, { a, b, c, m, n, k, tb: 1 });
        got.push(await device.read(c));
      }
      expect(got[1]).toEqual(got[0]);
    }
    devices[1].destroy();
  });
});

it('a failed thread is reported after the rest of the call has ended', () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const done: number[] = [];
  const wasm = { kernel: (from: number) => done.push(from) };
  const team = new Team({ count: 2, start: async () => {} }, wasm, memory, 0);
  const pieces = { count: 3, first: [0], step: [10], last: [20], scratch: { at: 0, step: 0 } };
  team.run('kernel', pieces);
  expect(done).toEqual([0, 10, 20]);
  new Int32Array(memory.buffer)[BOARD.failed] = 1;
  expect(() => team.run('kernel', pieces)).toThrow(/failed in kernel/);
  expect(done).toEqual([0, 10, 20, 0, 10, 20]);
  expect(BOARD_BYTES).toBeGreaterThan(3 * BOARD.most * 8);
});

it('continues with one thread if no helper could be started', async () => {
  const seen: HelperInit[] = [];
  const start = async (init: HelperInit) => {
    seen.push(init);
    throw new Error('no');
  };
  const device = await createCpuDevice({ threads: { count: 3, start } });
  expect([device.threads, seen.map(({ index }) => index)]).toEqual([1, [1, 2]]);
  const c = device.alloc(1, 'f32', 'c');
  ops.matmul(device, {
    a: put(device, new Float32Array([2]), 'a'),
    b: put(device, new Float32Array([3]), 'b'),
    c,
    m: 1,
    n: 1,
    k: 1,
  });
  expect(await device.read(c)).toEqual(new Float32Array([6]));
});
