// Tests that attention over f16 keys and values gives the same bits as unpacking them first, on every device, and that storing rounds to the
// nearest f16.
import { describe, expect, it } from 'vitest';
import { floatToHalf, halfValues } from '../../lib/half.ts';
import type { Device } from '../device.ts';
import { make } from '../testing/case.ts';
import { caseName, kernelCases, runCase } from '../testing/cases.ts';
import { sharedTestDevice } from '../webgpu/testing.ts';
import { createCpuDevice } from './device.ts';
import { allowFused } from './fused.node.ts';

allowFused();
const [software, hardware] = [await sharedTestDevice(), await sharedTestDevice(true)];
const DEVICES: readonly [string, Device | undefined][] = [
  ['reference', await createCpuDevice({ simd: false })],
  ['doubles', await createCpuDevice({ precision: 'f64' })],
  ['SIMD', await createCpuDevice()],
  ['SIMD, fused', await createCpuDevice({ fused: true })],
  [`WebGPU ${software.why}`, software.device],
  [`WebGPU as on a real GPU ${hardware.why}`, hardware.device],
];

const unpacked = (words: Float32Array | Uint32Array) =>
  Float32Array.from(new Uint16Array(words.buffer, words.byteOffset, 2 * words.length), (half) => halfValues()[half]);

describe.each(DEVICES)('f16 on %s', (_, device) => {
  it.skipIf(!device)('attention gives the same bits as unpacking keys and values first', async () => {
    const cases = kernelCases().filter(({ kernel }) => kernel === 'attention_f16');
    expect(cases.length).toBeGreaterThan(5);
    for (const one of cases) {
      const [q, k, v, ...rest] = one.buffers;
      const plain = make('attention', [q, unpacked(k), unpacked(v), ...rest], one.params as never);
      const [ours, wanted] = [await runCase(device!, one), await runCase(device!, plain)];
      expect(ours.get('o'), caseName(one)).toEqual(wanted.get('o'));
      expect(ours.get('stats'), caseName(one)).toEqual(wanted.get('stats'));
      expect(ours.get('o')!.some((value) => value !== 0)).toBe(true);
    }
  });

  it.skipIf(!device)('stores the nearest f16, the largest one on overflow, and 0 for subnormals', async () => {
    const largest = floatToHalf(Float32Array.of(65504))[0];
    // Every seventh f16, the midpoint to the next, and floats on both sides of that.
    const src: number[] = [65519, 65520, 1e9, -1e9, -65520, 1e-30];
    for (let half = 0; half < largest; half += 7) {
      const middle = Math.fround((halfValues()[half] + halfValues()[half + 1]) / 2);
      src.push(halfValues()[half], middle, -middle, middle * (1 + 2 ** -23), middle * (1 - 2 ** -23));
    }
    if (src.length % 2 > 0) src.push(0);
    const floats = Float32Array.from(src);
    const params = { rows: 1, dim: src.length, shift: 0, gathers: 0 };
    const one = make('store_f16', [floats, Uint32Array.of(0), new Uint32Array(src.length / 2)], params);
    const words = (await runCase(device!, one)).get('dst') as Uint32Array;
    const wanted = floatToHalf(floats).map((half, i) => {
      const size = Math.abs(floats[i]) < 2 ** -14 ? 0 : Math.min(half & 0x7fff, largest);
      return (half & 0x8000) | size;
    });
    expect(new Uint16Array(words.buffer, words.byteOffset, src.length)).toEqual(wanted);
  });
});
