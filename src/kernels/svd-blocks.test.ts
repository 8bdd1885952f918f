// Tests block Jacobi against double-precision references: shapes that are not multiples of a block, degenerate and ill-conditioned
// matrices, fixtures, both devices; when it is chosen, and how it is aborted.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { bytesSource, SafetensorsFile } from '../storage/safetensors.ts';
import { createCpuDevice } from './cpu/device.ts';
import type { Device } from './device.ts';
import { svd, svdMethod } from './svd.ts';
import { singularValues } from './testing/singular-values.ts';
import { faults, matrixWith, randomMatrix } from './testing/svd-checks.ts';
import { sharedTestDevice } from './webgpu/testing.ts';

/** Tolerance for float32: of the factors, and of S relative to its largest value. */
const TOLERANCE = 1e-5;
const BLOCKS = { method: 'blocks' } as const;

/** Largest |S − reference| / S_0. */
function valuesError(S: ArrayLike<number>, reference: ArrayLike<number>): number {
  let worst = 0;
  for (let i = 0; i < reference.length; i++) worst = Math.max(worst, Math.abs(S[i] - reference[i]));
  return worst / (reference[0] || 1);
}

async function check(device: Device, w: Float32Array, dOut: number, dIn: number, tolerance = TOLERANCE) {
  // Other test files that share the device may have left buffers.
  const { allocated } = device.memory();
  const result = await svd(device, w, dOut, dIn, BLOCKS);
  expect(faults(result, w, dOut, dIn, tolerance), `${dOut}×${dIn}`).toEqual([]);
  expect(valuesError(result.S, singularValues(w, dOut, dIn)), `S of ${dOut}×${dIn}`).toBeLessThan(TOLERANCE);
  expect(device.memory().allocated).toBe(allocated);
  return result;
}

/** Singular values of degenerate and ill-conditioned matrices. */
const SPECTRA: readonly [string, (r: number) => number[]][] = [
  ['condition number 1e6', (r) => Array.from({ length: r }, (_, k) => 10 ** ((-6 * k) / Math.max(1, r - 1)))],
  ['a third of full rank', (r) => Array.from({ length: r }, (_, k) => (k < r / 3 ? r - k : 0))],
  ['rank 1', (r) => Array.from({ length: r }, (_, k) => (k === 0 ? 2 : 0))],
  ['two repeated values', (r) => Array.from({ length: r }, (_, k) => (k < r / 2 ? 3 : 1))],
  ['all values equal', (r) => new Array<number>(r).fill(1)],
  ['zeros', (r) => new Array<number>(r).fill(0)],
];

describe.each([
  ['f32, plain', { simd: false } as const],
  ['f32, SIMD', {} as const],
  ['f64', { precision: 'f64' } as const],
])('block Jacobi on %s', (_, options) => {
  const tolerance = 'precision' in options ? 1e-12 : TOLERANCE;

  it.each([
    [1, 1],
    [1, 40],
    [40, 1],
    [16, 16],
    [17, 33],
    [75, 20],
    [100, 70],
  ])('decomposes a random [%i, %i]', async (dOut, dIn) => {
    await check(await createCpuDevice(options), randomMatrix(dOut, dIn, dOut), dOut, dIn, tolerance);
  });

  it.each(SPECTRA)('decomposes a matrix of %s', async (_, spectrum) => {
    const device = await createCpuDevice(options);
    for (const [dOut, dIn] of [
      [60, 40],
      [40, 60],
      [50, 50],
    ]) {
      const values = spectrum(40 + (dOut === dIn ? 10 : 0));
      const w = Float32Array.from(matrixWith(values, dOut, dIn, dOut));
      const { S } = await check(device, w, dOut, dIn, tolerance);
      expect(valuesError(S, values)).toBeLessThan(TOLERANCE);
    }
  });
});

describe('block Jacobi in float32', () => {
  it('meets the tolerances for larger matrices of any spectrum', async () => {
    const device = await createCpuDevice();
    const decaying = Array.from({ length: 256 }, (_, k) => 1 / (1 + 0.05 * k) + 0.002);
    for (const w of [randomMatrix(512, 256, 3), Float32Array.from(matrixWith(decaying, 512, 256, 4))])
      await check(device, w, 512, 256);
    const graded = Array.from({ length: 192 }, (_, k) => 10 ** ((-6 * k) / 191));
    await check(device, Float32Array.from(matrixWith(graded, 192, 400, 5)), 192, 400);
  });

  it('gives small singular values with small relative error', async () => {
    const values = Array.from({ length: 48 }, (_, k) => 10 ** ((-5 * k) / 47));
    // Each column is scaled by its singular value, so that the rounding of the entries is relative to it.
    const w = new Float32Array(64 * 48);
    const q = matrixWith(new Array(48).fill(1), 64, 48, 7);
    for (let i = 0; i < 64; i++) for (let j = 0; j < 48; j++) w[i * 48 + j] = q[i * 48 + j] * values[j];
    const { S } = await svd(await createCpuDevice(), w, 64, 48, BLOCKS);
    for (const [i, value] of values.entries()) expect(Math.abs(S[i] / value - 1), `S[${i}]`).toBeLessThan(1e-4);
  });

  it('is deterministic, and agrees with single pairs up to rounding', async () => {
    const device = await createCpuDevice();
    const w = randomMatrix(90, 50, 1);
    const first = await svd(device, w, 90, 50, BLOCKS);
    expect(await svd(device, w, 90, 50, BLOCKS)).toEqual(first);
    const pairs = await svd(device, w, 90, 50, { method: 'pairs' });
    for (let i = 0; i < 50; i++) expect(Math.abs(first.S[i] - pairs.S[i])).toBeLessThan(5e-6 * pairs.S[0]);
    for (let i = 0; i < first.Vh.length; i++) expect(Math.abs(first.Vh[i] - pairs.Vh[i])).toBeLessThan(1e-4);
  });

  it('is the default for large matrices, by device', async () => {
    const cpu = await createCpuDevice();
    expect([svdMethod(cpu, 511, 4000), svdMethod(cpu, 512, 512)]).toEqual(['pairs', 'blocks']);
    const gpu = { ...cpu, kind: 'webgpu', isSoftware: false } as unknown as Device;
    expect([svdMethod(gpu, 128, 384), svdMethod(gpu, 192, 300)]).toEqual(['pairs', 'blocks']);
    expect(svdMethod({ ...gpu, isSoftware: true } as Device, 512, 256)).toBe('blocks');
    const w = randomMatrix(48, 32, 2);
    expect(await svd(cpu, w, 48, 32)).toEqual(await svd(cpu, w, 48, 32, { method: 'pairs' }));
  });

  it('reports its progress, and aborts within a sweep', async () => {
    const device = await createCpuDevice();
    const w = randomMatrix(640, 512, 8);
    const shares: number[] = [];
    const sweeps: number[] = [];
    let isWithin = false;
    const stop = new AbortController();
    const work = svd(device, w, 640, 512, {
      signal: stop.signal,
      onShare: (share) => shares.push(share),
      onProgress: (sweep) => {
        sweeps.push(sweep);
        isWithin = false;
      },
      // The pause after a sweep directly follows onProgress; all others are within a sweep.
      breathe: async () => {
        if (isWithin && shares.length === 2) stop.abort();
        isWithin = true;
      },
    });
    await expect(work).rejects.toThrow(StoppedError);
    expect(device.memory().allocated).toBe(0);
    expect(shares).toHaveLength(2);
    expect([shares[0] > 0, shares[0] < shares[1], shares[1] < 1]).toEqual([true, true, true]);
    expect(sweeps.length, 'sweeps that ended before').toBeLessThan(8);
  });
});

const { device, why } = await sharedTestDevice();
describe.skipIf(!device)(`block Jacobi on WebGPU ${why}`, () => {
  it('meets the tolerances for both orientations, condition number 1e6, and rank 1', async () => {
    await check(device!, randomMatrix(70, 41, 1), 70, 41);
    for (const at of [0, 2]) {
      const w = Float32Array.from(matrixWith(SPECTRA[at][1](36), 36, 50, at));
      await check(device!, w, 36, 50);
    }
  });
});

const ORACLE = '../shared/oracle';
describe.skipIf(!existsSync(ORACLE))('block Jacobi on the fixtures (../shared/oracle; skipped when missing)', () => {
  const folders = existsSync(ORACLE) ? readdirSync(ORACLE).filter((name) => !name.includes('.')) : [];
  it.each(folders)('%s', async (folder) => {
    const cpu = await createCpuDevice();
    const open = (name: string) =>
      SafetensorsFile.open(bytesSource(readFileSync(`${ORACLE}/${folder}/${name}.safetensors`)), name);
    const [weights, expected] = [await open('model'), await open('expected')];
    const modules = [...expected.tensors.keys()].filter((name) => name.startsWith('svd.S/'));
    expect(modules.length).toBeGreaterThan(0);
    for (const name of modules) {
      const module = `${name.slice('svd.S/'.length)}.weight`;
      const weight = weights.tensors.has(module) ? module : `model.${module}`;
      const [dOut, dIn] = weights.info(weight).shape;
      const w = await weights.readF32(weight);
      const result = await svd(cpu, w, dOut, dIn, BLOCKS);
      expect(faults(result, w, dOut, dIn, TOLERANCE)).toEqual([]);
      expect(valuesError(result.S, await expected.readF32(name))).toBeLessThan(TOLERANCE);
    }
  });
});
