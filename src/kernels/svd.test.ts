// Tests the SVD in each precision: reconstruction, signs, known values, degenerate matrices, and reference fixtures.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from './cpu/device.ts';
import type { FloatArray } from './device.ts';
import { type Svd, svd } from './svd.ts';
import { faults, randomMatrix } from './testing/svd-checks.ts';

function expectValid(result: Svd, w: FloatArray, dOut: number, dIn: number, tolerance: number): void {
  expect(faults(result, w, dOut, dIn, tolerance)).toEqual([]);
}

describe.each([
  ['f32, plain', { simd: false } as const, 5e-6],
  ['f32, SIMD', {} as const, 5e-6],
  ['f64', { precision: 'f64' } as const, 1e-12],
])('svd on %s', (_, deviceOptions, tolerance) => {
  it.each([
    [1, 1],
    [1, 7],
    [5, 1],
    [8, 8],
    [13, 9],
    [9, 13],
    [64, 48],
  ])('decomposes a random [%i, %i]', async (dOut, dIn) => {
    const device = await createCpuDevice(deviceOptions);
    const w = randomMatrix(dOut, dIn, dOut * 100 + dIn);
    expectValid(await svd(device, w, dOut, dIn), w, dOut, dIn, tolerance);
    expect(device.memory().allocated).toBe(0);
  });

  it('finds the known values of a constructed matrix', async () => {
    const device = await createCpuDevice(deviceOptions);
    // Rows of a Hadamard matrix scaled: singular values 2·(4, 3, 2, 1).
    const w = new Float32Array([4, 4, 4, 4, 3, -3, 3, -3, 2, 2, -2, -2, 1, -1, -1, 1]);
    const { S, Vh } = await svd(device, w, 4, 4);
    for (const [i, expected] of [8, 6, 4, 2].entries()) expect(Math.abs(S[i] - expected)).toBeLessThan(8 * tolerance);
    for (let i = 0; i < 4; i++) expect(Math.max(...Vh.subarray(i * 4, i * 4 + 4))).toBeGreaterThan(0.49);
  });

  it('completes rank-deficient and zero matrices', async () => {
    const device = await createCpuDevice(deviceOptions);
    for (const [dOut, dIn] of [
      [12, 7],
      [7, 12],
      [10, 10],
    ]) {
      const zero = new Float32Array(dOut * dIn);
      const ofZero = await svd(device, zero, dOut, dIn);
      expectValid(ofZero, zero, dOut, dIn, tolerance);
      expect(ofZero.S.every((s) => s === 0)).toBe(true);
      const left = randomMatrix(dOut, 3, 1);
      const right = randomMatrix(3, dIn, 2);
      const w = new Float64Array(dOut * dIn);
      for (let i = 0; i < dOut; i++)
        for (let j = 0; j < dIn; j++)
          for (let k = 0; k < 3; k++) w[i * dIn + j] += left[i * 3 + k] * right[k * dIn + j];
      const result = await svd(device, w, dOut, dIn);
      expectValid(result, w, dOut, dIn, tolerance);
      expect(result.S[3]).toBeLessThan(tolerance * result.S[0]);
      const twins = Float32Array.from({ length: dOut * dIn }, (_, at) => Math.sin(at % dIn)); // equal rows
      expectValid(await svd(device, twins, dOut, dIn), twins, dOut, dIn, tolerance);
    }
  });

  it('does not depend on the scale, down to tiny weights', async () => {
    const device = await createCpuDevice(deviceOptions);
    const w = randomMatrix(6, 6, 9);
    const tiny = w.map((x) => x * 2 ** -100);
    const plain = await svd(device, w, 6, 6);
    const scaled = await svd(device, tiny, 6, 6);
    expect(scaled.U).toEqual(plain.U);
    expect(scaled.S).toEqual(plain.S.map((s) => s * 2 ** -100));
  });
});

describe('svd', () => {
  it('is deterministic, reports progress and aborts', async () => {
    const device = await createCpuDevice();
    const w = randomMatrix(32, 24, 3);
    const cosines: number[] = [];
    const first = await svd(device, w, 32, 24, { onProgress: (_, cosine) => cosines.push(cosine) });
    expect(await svd(device, w, 32, 24)).toEqual(first);
    expect(cosines).toHaveLength(first.sweeps);
    expect(cosines[cosines.length - 1]).toBeLessThan(1e-5);
    await expect(svd(device, w, 32, 24, { signal: AbortSignal.abort() })).rejects.toThrow(/stopped/);
    await expect(svd(device, w, 32, 25)).rejects.toThrow(/768 elements/);
    w[7] = Number.NaN;
    await expect(svd(device, w, 32, 24)).rejects.toThrow(/element 7 is NaN/);
  });

  it('meets the tolerances for 384 × 128 matrices in float32', async () => {
    const device = await createCpuDevice();
    for (const [dOut, dIn] of [
      [384, 128],
      [128, 384],
      [128, 128],
    ]) {
      const w = randomMatrix(dOut, dIn, 11);
      const result = await svd(device, w, dOut, dIn);
      expectValid(result, w, dOut, dIn, 1e-5);
      const exact = await svd(await createCpuDevice({ precision: 'f64' }), w, dOut, dIn);
      for (let i = 0; i < result.S.length; i++)
        expect(Math.abs(result.S[i] - exact.S[i])).toBeLessThan(5e-6 * exact.S[0]);
    }
  });

  it('keeps singular values that are small but above rounding noise', async () => {
    const n = 48;
    const device = await createCpuDevice();
    const exact = await createCpuDevice({ precision: 'f64' });
    const { U, Vh } = await svd(exact, Float64Array.from(randomMatrix(n, n, 12)), n, n);
    // One value is half of n · 2^-23 times the largest, the other is zero.
    const S = Float64Array.from({ length: n }, (_, i) =>
      i < n - 2 ? 1 / (1 + i) : i < n - 1 ? (n / 2) * 2 ** -23 : 0,
    );
    const w = new Float64Array(n * n);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) w[i * n + j] += U[i * n + k] * S[k] * Vh[k * n + j];
    const found = await svd(device, w, n, n);
    expectValid(found, w, n, n, 5e-6);
    expect(Math.abs(found.S[n - 2] / S[n - 2] - 1)).toBeLessThan(0.2);
    expect(found.S[n - 1]).toBeLessThan(0.2 * S[n - 2]);
  });
});

/** The float32 tensors of a safetensors file. */
function tensorsOf(path: string): Map<string, { shape: number[]; data: Float32Array }> {
  const file = readFileSync(path);
  const headerLength = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + headerLength)) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const tensors = new Map<string, { shape: number[]; data: Float32Array }>();
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__' || entry.dtype !== 'F32') continue;
    const [from, to] = entry.data_offsets.map((at) => at + 8 + headerLength);
    tensors.set(name, { shape: entry.shape, data: new Float32Array(Uint8Array.from(file.subarray(from, to)).buffer) });
  }
  return tensors;
}

const ORACLE = '../shared/oracle';
describe.skipIf(!existsSync(ORACLE))(
  'svd against the float64 reference (../shared/oracle; skipped when missing)',
  () => {
    const folders = existsSync(ORACLE) ? readdirSync(ORACLE).filter((name) => !name.includes('.')) : [];
    it.each(folders)('%s', async (folder) => {
      const device = await createCpuDevice();
      const weights = tensorsOf(`${ORACLE}/${folder}/model.safetensors`);
      const expected = tensorsOf(`${ORACLE}/${folder}/expected.safetensors`);
      let compared = 0;
      for (const [name, { data: reference }] of expected) {
        if (!name.startsWith('svd.S/')) continue;
        const module = name.slice('svd.S/'.length);
        const w = weights.get(`${module}.weight`) ?? weights.get(`model.${module}.weight`);
        if (!w) throw new Error(`${folder}: no weight for ${module} among ${[...weights.keys()].join(', ')}`);
        const result = await svd(device, w.data, w.shape[0], w.shape[1]);
        expectValid(result, w.data, w.shape[0], w.shape[1], 1e-5);
        for (let i = 0; i < reference.length; i++)
          expect(Math.abs(result.S[i] - reference[i])).toBeLessThan(1e-5 * reference[0]);
        compared++;
      }
      expect(compared).toBeGreaterThan(0);
    });
  },
);
