// Packed and split matrices: the WGSL kernels equal the reference kernels bit for bit, and the reference kernels are checked against the definition
// of the formats.
import { describe, expect, it } from 'vitest';
import { floatToHalf, halfToFloat } from '../../lib/half.ts';
import type { KernelName } from '../contract.ts';
import { createCpuDevice } from '../cpu/device.ts';
import { type Device, put, readFloats } from '../device.ts';
import { ops } from '../ops.ts';
import { caseName, kernelCases, runCase } from '../testing/cases.ts';
import { MATMUL_VARIANTS } from './matmul.ts';
import { PACKED_ROWS, packedEverywhere } from './packed-products.ts';
import { sharedTestDevice, unpackedFirst } from './testing.ts';
import { measurePacked } from './tune-packed.ts';

const { device, why } = await sharedTestDevice();
const gpu = device!;

const PACKED: readonly KernelName[] = [
  'unpack_f16',
  'unpack_q8',
  'unpack_q8h',
  'unpack_q4h',
  'gather_part',
  'gather_f16',
  'gather_q8',
  'gather_q8h',
  'gather_q4h',
  'move_cols',
];
/** Checks every f16 value bit for bit, with subnormals and the zeros' signs. */
async function everyHalf(on: Device): Promise<void> {
  const all = Uint16Array.from({ length: 65536 }, (_, h) => ((h & 0x7c00) === 0x7c00 ? 0 : h));
  const src = put(on, new Uint32Array(all.buffer), 'halves');
  const dst = on.alloc(65536, 'f32', 'values');
  ops.unpackF16(on, { src, dst, n: 65536 });
  const bits = (x: Float32Array) => new Uint32Array(x.buffer);
  expect(bits((await readFloats(on, dst)) as Float32Array)).toEqual(bits(halfToFloat(all)));
  src.free();
  dst.free();
}
const cases = kernelCases().filter(({ kernel }) => PACKED.includes(kernel));

const PRODUCTS = kernelCases().filter(({ kernel }) => /^matmul_(f16|q8h|q4h)$/.test(kernel));
describe.skipIf(!device)(`packed kernels on WebGPU ${why}`, () => {
  it('products of a packed matrix have the bits of unpacking first, in every variant', async () => {
    const chosen = gpu.packedChoice;
    // A software adapter takes seconds to compile a barrier, so one tiled variant stands for the others, which differ in a constant.
    for (const variant of gpu.isSoftware ? (['register', 'tiled16', 'thin'] as const) : MATMUL_VARIANTS) {
      gpu.packedChoice = packedEverywhere(variant);
      for (const one of PRODUCTS) expect(await runCase(gpu, one), variant).toEqual(await unpackedFirst(gpu, one));
    }
    gpu.packedChoice = chosen;
  });

  it.each(cases.map((one) => [caseName(one), one] as const))('%s', async (_, one) => {
    const expected = await runCase(await createCpuDevice({ simd: false }), one);
    expect(await runCase(gpu, one)).toEqual(expected);
  });

  it('unpack_f16 gives every finite half its value', () => everyHalf(gpu));
});

describe.skipIf(!device)(`the choice between reading packed matrices and unpacking first ${why}`, () => {
  it('is measured for each number of rows, and readsPacked follows it', async () => {
    const chosen = gpu.packedChoice;
    const choice = await measurePacked(gpu, { n: 40, k: 32 }, 1, ['register']);
    expect(Object.keys(choice)).toEqual(['matmul_f16', 'matmul_q8h', 'matmul_q4h']);
    for (const ways of Object.values(choice)) {
      expect(ways).toHaveLength(PACKED_ROWS.length);
      for (const way of ways) expect(['register', null]).toContain(way);
    }
    gpu.packedChoice = { ...packedEverywhere(null), matmul_q8h: ['register', null, 'tiled16'] };
    expect(gpu.readsPacked('matmul_f16', 1)).toBe(false);
    expect([1, 8, 9, 32, 33, 128, 129].map((rows) => gpu.readsPacked('matmul_q8h', rows))).toEqual([
      ...[true, true, false, false],
      ...[true, true, false],
    ]);
    gpu.packedChoice = chosen;
  });
});

describe('packed kernels on the CPU', () => {
  it('products of a packed matrix have the bits of unpacking first', async () => {
    for (const simd of [true, false]) {
      const cpu = await createCpuDevice({ simd });
      for (const one of PRODUCTS) expect(await runCase(cpu, one)).toEqual(await unpackedFirst(cpu, one));
    }
  });

  it('unpack_f16 gives every finite half its value', async () => {
    await everyHalf(await createCpuDevice());
    await everyHalf(await createCpuDevice({ simd: false }));
  });

  it('unpack to the values that were packed', async () => {
    const cpu = await createCpuDevice();
    const values = Float32Array.of(1, -2.5, 0.1, 65504, -(2 ** -24), 0, 3);
    const words = new Uint32Array(4);
    new Uint16Array(words.buffer).set(floatToHalf(values));
    const dst = cpu.alloc(5, 'f32', 'dst');
    ops.unpackF16(cpu, { src: put(cpu, words, 'halves'), dst, n: 5, srcOff: 2 });
    expect(await cpu.read(dst)).toEqual(halfToFloat(floatToHalf(values)).slice(2));

    const bytes = new Uint32Array(2);
    new Int8Array(bytes.buffer).set([1, -127, 127, -1, 2, -2]);
    const src = put(cpu, bytes, 'bytes');
    const scale = put(cpu, Float32Array.of(0.5, 10), 'scales');
    ops.unpackQ8(cpu, { src, scale, dst, n: 5, srcOff: 1, block: 4 });
    expect([...(await readFloats(cpu, dst))]).toEqual([-63.5, 63.5, -0.5, 20, -20]);
    const index = put(cpu, Uint32Array.of(12, 10), 'index');
    const rows = put(cpu, new Float32Array(4).fill(7), 'rows');
    ops.gatherQ8(cpu, { src, scale, index, dst: rows, rows: 2, dim: 2, first: 10, count: 2, block: 4 });
    // Row 12 is past the end of this part.
    expect([...(await readFloats(cpu, rows))]).toEqual([7, 7, 0.5, -63.5]);
  });

  it('refuse buffers that are too short', async () => {
    const cpu = await createCpuDevice();
    const [src, dst] = [cpu.alloc(2, 'u32', 'src'), cpu.alloc(8, 'f32', 'dst')];
    expect(() => ops.unpackF16(cpu, { src, dst, n: 5 })).toThrow(/src needs 3 elements/);
    expect(() => ops.unpackQ8(cpu, { src, scale: dst, dst, n: 8, block: 4 })).toThrow(/bound again/);
    expect(() => ops.unpackQ8(cpu, { src, scale: cpu.alloc(1, 'f32', 's'), dst, n: 8, block: 4 })).toThrow(
      /scale needs 2/,
    );
    expect(() => ops.unpackQ8(cpu, { src, scale: cpu.alloc(1, 'f32', 's'), dst, n: 8, block: 0 })).toThrow(
      /block of 0/,
    );
  });
});
