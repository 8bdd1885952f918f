// Tests that singular vectors of small matrices on a GPU are accurate to float32, even for nearly equal singular values.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from './cpu/device.ts';
import type { FloatArray } from './device.ts';
import { svd } from './svd.ts';
import { polish } from './svd-polish.ts';
import { faults, matrixWith } from './testing/svd-checks.ts';
import { sharedTestDevice } from './webgpu/testing.ts';

const { device, why } = await sharedTestDevice();

// Neighbouring values differ by a thousandth, so that a rounding error of 1e-7 in a rotation becomes 1e-4 in the vectors.
const CLOSE = Array.from({ length: 48 }, (_, k) => 1 - 0.001 * k);

const worst = (x: FloatArray, y: FloatArray) =>
  Float64Array.from(x).reduce((most, a, i) => Math.max(most, Math.abs(a - y[i])), 0);

describe('polish', () => {
  it('removes an error of 1e-4 from the vectors, and keeps correct ones', async () => {
    const [n, m] = [48, 64];
    const w = matrixWith(CLOSE, n, m, 21);
    const exact = await svd(await createCpuDevice({ precision: 'f64' }), w, n, m);
    const vectors = Float64Array.from({ length: n * n }, (_, i) => exact.U[(i % n) * n + Math.floor(i / n)]);
    for (const error of [0, 1e-4]) {
      const v = vectors.map((x, i) => x + error * Math.sin(i * i));
      const found = await polish({ a: new Float32Array(n * m), v, sweeps: 7 }, w, n, m, {});
      expect(found.sweeps).toBe(7);
      for (let i = 0; i < n; i++) {
        const [own, other] = [found.v, vectors].map((x) => x.subarray(i * n, (i + 1) * n));
        expect(worst(own, other), `vector ${i}`).toBeLessThan(1e-9);
        const row = Float64Array.from(found.a.subarray(i * m, (i + 1) * m));
        expect(Math.abs(Math.sqrt(row.reduce((sum, x) => sum + x * x, 0)) - CLOSE[i])).toBeLessThan(1e-12);
      }
    }
  });
});

describe.skipIf(!device)(`singular vectors of small matrices on WebGPU ${why}`, () => {
  it.each([
    [48, 64],
    [64, 48],
    [48, 48],
  ])('agree with double precision, [%i, %i]', async (dOut, dIn) => {
    const w = Float32Array.from(matrixWith(CLOSE, dOut, dIn, 22));
    const exact = await svd(await createCpuDevice({ precision: 'f64' }), w, dOut, dIn);
    const found = await svd(device!, w, dOut, dIn);
    expect(await svd(device!, w, dOut, dIn), 'the same bytes twice').toEqual(found);
    expect(faults(found, w, dOut, dIn, 1e-6)).toEqual([]);
    for (const part of ['U', 'S', 'Vh'] as const) expect(worst(found[part], exact[part]), part).toBeLessThan(1e-7);
  });

  it('has vectors for zero singular values', async () => {
    const values = CLOSE.map((x, k) => (k < 40 ? x : 0));
    const w = Float32Array.from(matrixWith(values, 48, 64, 23));
    expect(faults(await svd(device!, w, 48, 64), w, 48, 64, 1e-6)).toEqual([]);
  });
});
