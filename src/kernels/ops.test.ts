// Tests the wrappers against the contract: every kernel has one, which passes buffers and parameters in the table's order.
import { expect, it } from 'vitest';
import { INTEGER_BLOCK } from './contract/integers.ts';
import { KERNELS, type KernelName, type KernelParams } from './contract.ts';
import { createCpuDevice } from './cpu/device.ts';
import type { Device, DeviceBuffer } from './device.ts';
import { type OpArgs, ops } from './ops.ts';

const camelCase = (kernel: string) => kernel.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A device that only records calls. */
async function recorder() {
  const device = await createCpuDevice({ simd: false });
  const calls: { kernel: KernelName; labels: string[]; params: object }[] = [];
  const recording: Device = Object.create(device, {
    run: {
      value: <K extends KernelName>(kernel: K, buffers: readonly DeviceBuffer[], params: KernelParams<K>) => {
        calls.push({ kernel, labels: buffers.map(({ label }) => label), params });
      },
    },
  });
  return { alloc: device.alloc.bind(device), recording, calls };
}

it('has a wrapper for every kernel, which passes buffers and parameters in the contract’s order', async () => {
  expect(Object.keys(ops).sort()).toEqual(Object.keys(KERNELS).map(camelCase).sort());
  const { alloc, recording, calls } = await recorder();
  for (const kernel of Object.keys(KERNELS) as KernelName[]) {
    const { buffers, params } = KERNELS[kernel];
    const names = Object.keys(params);
    const args: Record<string, DeviceBuffer | number> = {};
    // The buffers are passed in reverse, so that their order cannot come from the caller.
    for (const { name, dtype } of [...buffers].reverse()) args[name] = alloc(10_000, dtype, name);
    const flags = ['beta', 'ta', 'tb', 'add', 'inverse', 'gate', 'kvHeads', 'keyHeads', 'apart', 'normed', 'gathers'];
    for (const [i, name] of names.entries()) args[name] = flags.includes(name) ? 1 : 2 + (i % 2) * 2;
    // A convolution's channels must be within the row.
    if (names.includes('first')) args.first = 0;
    // A row of 8-bit integers consists of whole blocks.
    if (kernel === 'quantize_rows') args.dim = INTEGER_BLOCK;
    if (kernel === 'products_q8i') args.k = INTEGER_BLOCK;
    (ops as unknown as Record<string, (device: Device, args: object) => void>)[camelCase(kernel)](recording, args);
    const call = calls.at(-1)!;
    expect(call.kernel).toBe(kernel);
    expect(call.labels).toEqual(buffers.map(({ name }) => name));
    expect(Object.entries(call.params)).toEqual(names.map((name) => [name, args[name]]));
  }
  expect(calls).toHaveLength(Object.keys(KERNELS).length);
});

it('only offsets and flags default to 0', async () => {
  const { alloc, recording, calls } = await recorder();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => alloc(16, 'f32', name));
  ops.matmul(recording, { a, b, c, m: 2, n: 3, k: 4 });
  expect(calls[0].params).toEqual({ m: 2, n: 3, k: 4, aOff: 0, bOff: 0, cOff: 0, ta: 0, tb: 0, beta: 0 });
  const incomplete = { a, b, c, m: 2, n: 3 } as unknown as OpArgs<'matmul'>;
  expect(() => ops.matmul(recording, incomplete)).toThrow(/k must be an unsigned 32-bit integer, got NaN/);
  expect(calls).toHaveLength(1);
});
