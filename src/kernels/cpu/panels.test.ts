// Tests matrices that stay packed into panels between products: the same bytes as packing each time, for any number of rows and threads;
// a modified matrix is packed again, and a freed one releases its panels.
import { expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { type DeviceBuffer, put } from '../device.ts';
import { ops } from '../ops.ts';
import { createCpuDevice } from './device.ts';
import { FEW_ROWS, PANEL_BYTES, panelBytes } from './panels.ts';
import { nodeThreads } from './threads/threads.node.ts';

const [n, k] = [45, 68];
const rng = CounterRng.of(11, STREAMS.test);
const numbers = (length: number) => Float32Array.from({ length }, () => rng.normal());
const rows = numbers(FEW_ROWS * k);
const matrix = numbers(n * k);

it.for([1, 3])('gives the same bytes as packing each time, with %d threads', async (count) => {
  const threads = count > 1 ? { ...nodeThreads(count)!, worth: 1 } : undefined;
  const [kept, anew] = [await createCpuDevice({ threads }), await createCpuDevice()];
  kept.repeats(true);
  const on = [kept, anew].map((device) => ({
    device,
    a: put(device, rows, 'a'),
    b: put(device, matrix, 'b'),
    c: device.alloc(FEW_ROWS * n, 'f32', 'c'),
  }));
  const product = (m: number) =>
    Promise.all(
      on.map(({ device, a, b, c }) => {
        ops.matmul(device, { a, b, c, m, n, k, tb: 1, beta: 1 });
        return device.read(c);
      }),
    );
  const agree = async (m: number) => {
    const [mine, expected] = await product(m);
    expect(mine).toEqual(expected);
  };
  const before = kept.memory().allocated;
  for (const m of [7, 7, 1, FEW_ROWS, 4]) await agree(m);
  expect(kept.memory().allocated - before).toBe(panelBytes(n, k));
  // The matrix is modified by a kernel, then from the host.
  for (const { device, a, b } of on) ops.add(device, { x: b, y: a, n: n * k });
  for (const m of [5, 6, 8]) await agree(m);
  for (const { device, b } of on) device.upload(b, matrix.subarray(0, 9), 3);
  for (const m of [5, 6, 8]) await agree(m);
  expect(kept.memory().allocated - before).toBe(panelBytes(n, k));
  const { bytes } = on[0].b as DeviceBuffer & { bytes: number };
  on[0].b.free();
  expect(kept.memory().allocated).toBe(before - bytes);
  for (const { device } of on) device.destroy();
});

it('keeps at most its limit, and nothing unless matrices are read repeatedly', async () => {
  const device = await createCpuDevice();
  const wide = Math.ceil(PANEL_BYTES / 4 / 64 / 2) + 64;
  const a = put(device, numbers(64), 'a');
  const c = device.alloc(wide, 'f32', 'c');
  const all = [1, 2].map((i) => put(device, new Float32Array(wide * 64).fill(i), `b${i}`));
  const before = device.memory().allocated;
  const twice = () => {
    for (const b of [...all, ...all]) ops.matmul(device, { a, b, c, m: 1, n: wide, k: 64, tb: 1 });
  };
  twice();
  expect(device.memory().allocated).toBe(before);
  device.repeats(true);
  twice();
  expect(device.memory().allocated - before).toBe(panelBytes(wide, 64));
  device.destroy();
});
