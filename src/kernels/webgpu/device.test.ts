// Tests the WebGPU device itself: order, limits, errors, loss. The kernels have their own tests in this folder.

import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { openNodeGpu } from '../../lib/gpu.node.ts';
import { put, readFloats } from '../device.ts';
import { createWebGpuDevice } from './device.ts';
import { openTestDevice, values } from './testing.ts';

const { device, why } = await openTestDevice();
const gpu = device!;
afterAll(() => device?.destroy());

describe.skipIf(!device)(`WebGPU device ${why}`, () => {
  it('names its adapter and its limits', () => {
    expect(gpu.kind).toBe('webgpu');
    expect(gpu.name.length).toBeGreaterThan(2);
    expect(gpu.limits.maxBindingBytes).toBeGreaterThanOrEqual(128 * 2 ** 20);
  });

  it('starts buffers at zero, also empty ones, and counts their bytes', async () => {
    const before = gpu.memory().allocated;
    const [empty, some] = [gpu.alloc(0, 'f32', 'empty'), gpu.alloc(33, 'u32', 'some')];
    expect(await gpu.read(empty)).toEqual(new Float32Array(0));
    expect(await gpu.read(some)).toEqual(new Uint32Array(33));
    gpu.upload(empty, new Float32Array(0));
    gpu.run('fill', [empty], { n: 0, off: 0, value: 1 });
    expect(gpu.memory().allocated).toBeGreaterThan(before);
    expect(gpu.memory().peak).toBeGreaterThanOrEqual(gpu.memory().allocated);
    empty.free();
    some.free();
    expect(gpu.memory().allocated).toBe(before);
  });

  it('keeps the order of uploads, runs, frees and reads over many batches', async () => {
    const x = put(gpu, Float32Array.of(0, 0), 'x');
    const step = gpu.alloc(1, 'f32', 'step');
    const reads: Promise<Float32Array | Float64Array>[] = [];
    let expected = 0;
    for (let i = 0; i < 600; i++) {
      if (i % 100 === 0) gpu.upload(step, Float32Array.of(i));
      expected += Math.floor(i / 100) * 100;
      const copy = gpu.alloc(1, 'f32', 'copy');
      gpu.run('copy', [step, copy], { n: 1, srcOff: 0, dstOff: 0 });
      gpu.run('add', [x, copy], { n: 1, xOff: 1, yOff: 0 });
      copy.free();
      if (i === 299) reads.push(readFloats(gpu, x, 1, 1));
    }
    reads.push(readFloats(gpu, x, 1, 1));
    const [half, whole] = await Promise.all(reads);
    expect(half[0]).toBe(30_000);
    expect(whole[0]).toBe(expected);
    x.free();
    step.free();
  });

  it('uploads more than it hands to the queue at once', async () => {
    const length = 17 * 2 ** 20; // 68 MiB
    const piece = 16 * 2 ** 20;
    const x = gpu.alloc(length + 1, 'f32', 'x');
    gpu.upload(
      x,
      Float32Array.from({ length }, (_, i) => i % 1000),
      1,
    );
    for (const at of [0, piece - 2, piece, length - 1]) {
      const expected = at === 0 ? 0 : (at - 1) % 1000;
      expect(await gpu.read(x, at, 1)).toEqual(Float32Array.of(expected));
    }
    x.free();
  });

  it('takes doubles, and reads ranges', async () => {
    const x = gpu.alloc(10, 'f32', 'x');
    gpu.upload(x, Float64Array.of(0.1, 2), 4);
    expect(await gpu.read(x, 3, 4)).toEqual(Float32Array.of(0, 0.1, 2, 0));
    x.free();
  });

  it('refuses buffers that are too large, out of range, of the wrong type, aliased, freed or foreign, naming the numbers', async () => {
    const tooMany = gpu.limits.maxBindingBytes / 4 + 1;
    expect(() => gpu.alloc(tooMany, 'f32', 'logits')).toThrow(/logits.*[MG]B.*at most/);
    expect(() => gpu.alloc(-1, 'f32', 'logits')).toThrow(DeviceError);
    const x = gpu.alloc(4, 'f32', 'x');
    const ids = gpu.alloc(4, 'u32', 'ids');
    expect(() => gpu.upload(x, new Float32Array(3), 2)).toThrow(/2 to 5 of buffer "x", which has 4/);
    expect(() => gpu.upload(x, new Uint32Array(1))).toThrow(/f32/);
    await expect(gpu.read(x, 5, 1)).rejects.toThrow(DeviceError);
    expect(() => gpu.run('add', [x, ids], { n: 1, xOff: 0, yOff: 0 })).toThrow(/u32/);
    expect(() => gpu.run('add', [x, x], { n: 1, xOff: 0, yOff: 0 })).toThrow(/"x"/);
    expect(() => gpu.run('add', [x], { n: 1, xOff: 0, yOff: 0 })).toThrow(/2 buffers/);
    x.free();
    expect(() => gpu.run('fill', [x], { n: 1, off: 0, value: 1 })).toThrow(/freed/);
    const foreign = { label: 'foreign', dtype: 'f32', length: 4, free() {} } as const;
    expect(() => gpu.run('fill', [foreign], { n: 1, off: 0, value: 1 })).toThrow(/foreign/);
    ids.free();
    await gpu.sync();
  });

  it('compiles ahead', async () => {
    const reported: string[] = [];
    await gpu.warmup(['add', 'attention', 'matmul', 'sumsq'], [16], (done, total) => reported.push(`${done}/${total}`));
    // Progress is reported for every shader, and none is compiled twice.
    expect(reported.length).toBeGreaterThan(3);
    expect(reported).toEqual(reported.map((_, i) => `${i + 1}/${reported.length}`));
    await gpu.warmup(['add', 'attention', 'matmul', 'sumsq'], [16], () => reported.push('again'));
    expect(reported).not.toContain('again');
    await gpu.sync();
  });

  it('gives the same bits twice for a chain of kernels', async () => {
    const chain = async () => {
      const [x, w] = [put(gpu, values(64 * 32, 1), 'x'), put(gpu, values(32 * 32, 2), 'w')];
      const [y, one, rstd] = [
        gpu.alloc(64 * 32, 'f32', 'y'),
        put(gpu, values(32, 3), 'one'),
        gpu.alloc(64, 'f32', 'r'),
      ];
      for (let i = 0; i < 5; i++) {
        const square = { m: 64, n: 32, k: 32, aOff: 0, bOff: 0, cOff: 0, ta: 0, tb: 1, beta: 0 };
        gpu.run('matmul', [x, w, y], square);
        gpu.run('rmsnorm', [y, one, x, rstd], { rows: 64, dim: 32, eps: 1e-6 });
      }
      const result = await readFloats(gpu, x);
      for (const buffer of [x, w, y, one, rstd]) buffer.free();
      return result;
    };
    expect(await chain()).toEqual(await chain());
  });

  it('reports a validation error on the next read, and from then on', async () => {
    const other = await createWebGpuDevice({ gpu: await openNodeGpu() });
    const x = other.alloc(4, 'f32', 'x');
    other.gpu.createShaderModule({ code: 'this is no WGSL' });
    await expect(other.read(x)).rejects.toThrow(DeviceError);
    expect(() => other.alloc(4, 'f32', 'y')).toThrow(/WGSL/);
    other.destroy();
  });

  it('after destroy, pending reads reject and later calls throw, with a remedy', async () => {
    const other = await createWebGpuDevice({ gpu: await openNodeGpu() });
    const x = other.alloc(4, 'f32', 'x');
    const pending = other.read(x);
    const outcome = expect(pending).rejects.toThrow(/closed/);
    other.destroy();
    await outcome;
    expect(() => other.alloc(1, 'f32', 'y')).toThrow(DeviceError);
    expect(() => other.run('fill', [x], { n: 1, off: 0, value: 1 })).toThrow(/closed/);
    await expect(other.sync()).rejects.toThrow(DeviceError);
    expect(other.memory().allocated).toBe(0);
  });

  it('stops opening when the signal says so', async () => {
    const signal = AbortSignal.abort();
    await expect(createWebGpuDevice({ gpu: await openNodeGpu(), signal })).rejects.toThrow(/stopped/);
  });

  it('says what to do when there is no adapter', async () => {
    const none = { requestAdapter: async () => null } as unknown as GPU;
    await expect(createWebGpuDevice({ gpu: none })).rejects.toMatchObject({ remedy: expect.stringContaining('CPU') });
  });
});
