// Tests the CPU device for each precision: buffers, order of operations, and refusals with numbers.

import { DeviceError, ShapeError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { DECODING } from '../contract/decoding.ts';
import { DELTA } from '../contract/delta.ts';
import { INTEGERS } from '../contract/integers.ts';
import { KERNEL_NAMES, type KernelName } from '../contract.ts';
import { type Device, put } from '../device.ts';
import { ops } from '../ops.ts';
import { CpuDevice, createCpuDevice } from './device.ts';
import { SIMD_PROGRAMS } from './simd-programs.ts';
import { SIMD_REFERENCES } from './simd-references.ts';

const three = (device: Device) => [1, 2, 3].map((x) => put(device, Float32Array.of(x, x, x, x), `b${x}`));

describe.each([
  ['SIMD', {}],
  ['plain', { simd: false }],
  ['double', { precision: 'f64' } as const],
])('CpuDevice, %s', (_, options) => {
  it('describes itself', async () => {
    const device = await createCpuDevice(options);
    expect(device.kind).toBe('cpu');
    expect(device.isSoftware).toBe(false);
    expect(device.precision).toBe('precision' in options ? 'f64' : 'f32');
  });

  it('allocates zeroed, uploads at an offset, reads fresh copies, counts its bytes', async () => {
    const device = await createCpuDevice(options);
    const bytes = device.precision === 'f64' ? 8 : 4;
    const a = device.alloc(5, 'f32', 'a');
    device.upload(a, new Float64Array([1.5, 2.5]), 2);
    expect([...(await device.read(a))]).toEqual([0, 0, 1.5, 2.5, 0]);
    const copy = await device.read(a, 2, 2);
    copy[0] = 9;
    expect([...(await device.read(a, 2, 1))]).toEqual([1.5]);
    const u = put(device, new Uint32Array([4_000_000_000]), 'u');
    expect([...(await device.read(u))]).toEqual([4_000_000_000]);
    expect(device.memory()).toEqual({ allocated: 5 * bytes + 4, peak: 5 * bytes + 4 });
    a.free();
    a.free();
    expect(device.memory()).toEqual({ allocated: 4, peak: 5 * bytes + 4 });
    const again = device.alloc(5, 'f32', 'again'); // may reuse the same memory
    expect([...(await device.read(again))]).toEqual([0, 0, 0, 0, 0]);
  });

  it('reads the contents at the time of the call', async () => {
    const device = await createCpuDevice(options);
    const a = put(device, new Float32Array([1]), 'a');
    const pending = device.read(a);
    device.upload(a, new Float32Array([2]));
    expect([...(await pending)]).toEqual([1]);
  });

  it('keeps buffers intact while the memory grows', async () => {
    const device = await createCpuDevice(options);
    const [a, b] = three(device);
    const large = device.alloc(3_000_000, 'f32', 'large');
    ops.add(device, { x: a, y: b, n: 4 });
    const c = device.alloc(4, 'f32', 'c');
    const product = device.alloc(1600, 'f32', 'product');
    const before = device.simd?.heap.generation ?? -1;
    // The scratch of this product grows the memory in the middle of a call.
    ops.matmul(device, { a: large, b: large, c: product, m: 8, n: 200, k: 15_000 });
    if (device.simd) expect(device.simd.heap.generation).toBeGreaterThan(before);
    ops.copy(device, { src: a, dst: c, n: 4 });
    expect([...(await device.read(c))]).toEqual([3, 3, 3, 3]);
  });

  it('refuses freed, foreign and destroyed buffers', async () => {
    const device = await createCpuDevice(options);
    const [a, b, c] = three(device);
    b.free();
    const params = { m: 2, n: 2, k: 2 };
    expect(() => ops.matmul(device, { a, b, c, ...params })).toThrow(DeviceError);
    expect(() => device.upload(b, new Float32Array(1))).toThrow(/"b2" was used after it was freed/);
    await expect(device.read(b)).rejects.toThrow(DeviceError);
    const other = await createCpuDevice(options);
    expect(() => ops.add(other, { x: a, y: c, n: 1 })).toThrow(/another device/);
    device.destroy();
    expect(device.memory().allocated).toBe(0);
    await expect(device.read(a)).rejects.toThrow(DeviceError);
    expect(() => device.alloc(1, 'f32', 'late')).toThrow(/destroyed/);
  });

  it('refuses shapes that do not fit, with numbers', async () => {
    const device = await createCpuDevice(options);
    const [a, b, c] = three(device);
    const u = put(device, new Uint32Array(4), 'u');
    const n = 2;
    expect(() => ops.matmul(device, { a, b, c, m: 2, n: 3, k: 2 })).toThrow(
      'matmul: b needs 6 elements, but "b2" has 4 (m 2, n 3, k 2, aOff 0, bOff 0, cOff 0, ta 0, tb 0, beta 0).',
    );
    expect(() => ops.matmul(device, { a, b, c, m: 2, n: 2, k: 2, cOff: 1 })).toThrow(/c needs 5 elements/);
    expect(() => ops.matmul(device, { a, b, c: u, m: n, n, k: n })).toThrow(/c must be f32, but "u" is u32/);
    expect(() => ops.matmul(device, { a, b, c: a, m: n, n, k: n })).toThrow(
      /"b1" is written as c and bound again as a/,
    );
    expect(() => ops.matmul(device, { a, b, c, m: 1.5, n, k: n })).toThrow(
      /m must be an unsigned 32-bit integer, got 1.5/,
    );
    expect(() => ops.matmul(device, { a, b, c, m: n, n, k: n, beta: 2 })).toThrow(/beta must be 0 or 1, got 2/);
    expect(() => ops.fill(device, { x: a, n: 1, value: Number.NaN })).toThrow(/value must be a number, got NaN/);
    expect(() => device.run('add', [a], { n: 1, xOff: 0, yOff: 0 })).toThrow(/add takes 2 buffers, got 1/);
    expect(() => ops.rope(device, { x: a, cos: b, sin: b, pos: u, rows: 1, heads: 1, headDim: 3 })).toThrow(/3 is odd/);
    const attend = { q: a, k: b, v: b, ranges: u, o: c, stats: device.alloc(8, 'f32', 's') };
    expect(() => ops.attention(device, { ...attend, rows: 1, heads: 3, kvHeads: 2, headDim: 1 })).toThrow(
      /3 query heads/,
    );
    expect(() => device.upload(a, new Float32Array(3), 2)).toThrow(/3 elements at 2 leaves "b1" \(4\)/);
    expect(() => device.upload(a, new Uint32Array(1))).toThrow(ShapeError);
    await expect(device.read(a, 3, 2)).rejects.toThrow(ShapeError);
    expect(() => device.alloc(-1, 'f32', 'negative')).toThrow(ShapeError);
    expect(() => device.alloc(2 ** 31, 'f32', 'huge')).toThrow(/"huge" needs \d+ bytes; \d+ of 429\d+ are in use/);
  });

  it('refuses indices outside their buffers', async () => {
    const device = await createCpuDevice(options);
    const floats = (n: number) => device.alloc(n, 'f32', 'floats');
    const ints = (...values: number[]) => put(device, Uint32Array.from(values), 'ints');
    const call = (run: () => void, message: RegExp) => {
      expect(run).toThrow(ShapeError);
      expect(run).toThrow(message);
    };
    call(
      () => ops.gatherRows(device, { src: floats(6), index: ints(0, 3), dst: floats(4), rows: 2, dim: 2 }),
      /index\[1\] = 3 is past the 3 source rows/,
    );
    call(
      () => ops.scatterRows(device, { src: floats(4), index: ints(0, 2), dst: floats(6), rows: 2, dim: 2, shift: 1 }),
      /index\[1\] \+ shift = 3/,
    );
    const embed = { dy: floats(4), dTable: floats(4), vocab: 2, dim: 2 };
    call(() => ops.embedGrad(device, { ...embed, starts: ints(0, 1, 2), order: ints(0, 2) }), /order\[1\] = 2/);
    call(() => ops.embedGrad(device, { ...embed, starts: ints(0, 1, 3), order: ints(0, 1) }), /past the 2 entries/);
    call(() => ops.embedGrad(device, { ...embed, starts: ints(0, 2, 1), order: ints(0, 1) }), /starts\[1\] = 2/);
    const table = { cos: floats(4), sin: floats(4), rows: 1, heads: 1, headDim: 2 };
    call(() => ops.rope(device, { x: floats(2), ...table, pos: ints(3), shift: 1 }), /position 4 of row 0/);
    const shape = { rows: 1, heads: 1, kvHeads: 1, headDim: 4 };
    const attend = { q: floats(4), k: floats(8), v: floats(8), o: floats(4), stats: floats(2), ...shape };
    call(() => ops.attention(device, { ...attend, ranges: ints(0, 0, 0, 3) }), /\[0,3\) of 2 key rows/);
    call(() => ops.attention(device, { ...attend, ranges: ints(0, 0, 0, 2), grow: 1 }), /\[0,3\) of 2 key rows/);
    call(() => ops.attention(device, { ...attend, ranges: ints(0, 0, 1, 1) }), /row 0 attends/);
    const square = { rows: 1, vocab: 4 };
    call(
      () => ops.logprob(device, { logits: floats(4), targets: ints(4), stats: floats(3), ...square }),
      /targets\[0\] = 4/,
    );
    call(
      () =>
        ops.jacobiRound(device, {
          a: floats(4),
          v: floats(4),
          pairs: ints(0, 2),
          off: floats(1),
          m: 2,
          nv: 2,
          count: 1,
          tol: 0,
        }),
      /pairs\[1\] = 2 is past the 2 vectors/,
    );
    call(
      () =>
        ops.project(device, {
          g: floats(4),
          v: floats(4),
          table: ints(1, 4, 0, 1, 0),
          kept: floats(4),
          removed: floats(4),
          coef: floats(1),
          modules: 1,
          gate: 0,
          overshoot: 1,
        }),
      /module 0 \(gOff 1, r 4/,
    );
  });
});

describe('a lean device', () => {
  /** Attention over one row of one head of this width. */
  const attend = (device: Device, headDim: number) => {
    const of = (name: string) => put(device, new Float32Array(headDim).fill(1), name);
    const o = device.alloc(headDim, 'f32', 'o');
    const ranges = put(device, Uint32Array.of(0, 1, 0, 0), 'ranges');
    const stats = device.alloc(2, 'f32', 'stats');
    const shape = { rows: 1, heads: 1, kvHeads: 1, headDim, grow: 0 };
    ops.attention(device, { q: of('q'), k: of('k'), v: of('v'), ranges, o, stats, ...shape });
    return device.read(o);
  };

  it('has every kernel except those of linear layers, f16 stores, and fused and 8-bit decoding, which no CPU device uses', () => {
    const there = (kernel: KernelName) => kernel in SIMD_PROGRAMS || kernel in SIMD_REFERENCES;
    const late = [...Object.keys(DELTA), 'store_f16', ...Object.keys(DECODING), ...Object.keys(INTEGERS)];
    expect(new Set(KERNEL_NAMES.filter((kernel) => !there(kernel)))).toEqual(new Set(late));
    expect(CpuDevice.prototype).not.toHaveProperty('fuses');
  });

  it('refuses a shape that SIMD does not support, until it is completed', async () => {
    const device = await createCpuDevice({ isLean: true });
    expect([...(await attend(device, 8))]).toEqual(new Array(8).fill(1));
    expect(() => attend(device, 6)).toThrow(DeviceError);
    await device.complete();
    expect([...(await attend(device, 6))]).toEqual(new Array(6).fill(1));
  });
});
