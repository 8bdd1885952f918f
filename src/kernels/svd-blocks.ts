// One-sided block Jacobi SVD for large matrices, on either device. Rows are in blocks of 16; a round rotates disjoint pairs of
// blocks at once, with rotations computed from the 32 × 32 inner products of a pair's rows. Nearly all work is small matrix
// products, a sweep takes a few hundred dispatches, and the host pauses regularly to handle aborts and report progress.
import { DeviceError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { type Device, type DeviceBuffer, type FloatArray, put, readFloats } from './device.ts';
import { ops } from './ops.ts';
import { tournament } from './svd-pairs.ts';
import type { Orthogonalised, SvdOptions } from './svd-types.ts';

const BLOCK = 16;
const PAIR = 2 * BLOCK;
const MAX_SWEEPS = 40;
/** Sweeps within a pair's 32 rows. With one, more sweeps over the matrix are needed; with four, hardly fewer than with two. */
const PAIR_SWEEPS = 2;
/** Number of sweeps that most matrices need, for estimating progress. */
const DEFAULT_SWEEPS = 9;
/** Length of the slices of inner products on a GPU. Short slices occupy the whole GPU, and short sums have less rounding error. */
const SLICE = 256;
/** Floating-point operations between two pauses: about 100 ms. */
const PAUSE = { cpu: 3e9, webgpu: 2e10, software: 2e8 } as const;

/** Most floating-point operations of one product of `recomputeLengths`. */
const PRODUCT = 1e9;
/** Lengths below this share of the largest are not recomputed by `recomputeLengths`. */
const SMALL = 0.01;

/** Makes the rows of `start` [n, m] orthogonal: a = v start with v [n, n] orthogonal. The lengths of both matrices' rows are corrected. */
export async function turnBlocks(
  device: Device,
  start: Float64Array,
  n: number,
  m: number,
  options: SvdOptions,
): Promise<Orthogonalised> {
  const double = device.precision === 'f64';
  const tol = double ? 1e-15 : 2e-7;
  const stop = double ? 1e-13 : 2e-6;
  const zero = double ? 1e-26 : 1e-13;
  const stride = m + n;
  const blocks = Math.max(2, Math.ceil(n / BLOCK));
  const rounds = tournament(blocks);
  const perRound = Math.floor(blocks / 2);
  const pairList = Uint32Array.from(rounds.flat());
  const slices = device.kind === 'webgpu' ? Math.ceil(m / SLICE) : 1;
  const between = PAUSE[device.isSoftware ? 'software' : device.kind];
  const flopsOfRound = perRound * PAIR * PAIR * 2 * (m + stride);
  const taken: DeviceBuffer[] = [];
  const own = (buffer: DeviceBuffer) => {
    taken.push(buffer);
    return buffer;
  };
  await pause(device, options);
  try {
    const x = own(device.alloc(n * stride, 'f32', 'svd.x'));
    device.upload(x, withIdentity(start, n, m, double));
    const pairs = own(put(device, pairList, 'svd.pairs'));
    const gram = own(device.alloc(perRound * slices * PAIR * PAIR, 'f32', 'svd.gram'));
    const q = own(device.alloc(perRound * PAIR * PAIR, 'f32', 'svd.q'));
    const report = own(device.alloc((pairList.length / 2) * 3, 'f32', 'svd.report'));
    let floor = zero * largestSquare(start, n, m);
    let sweep = 0;
    let previous = Infinity;
    let since = 0;
    while (true) {
      if (++sweep > MAX_SWEEPS)
        throw new DeviceError(
          `svd of ${n} vectors of length ${m} did not converge in ${MAX_SWEEPS} sweeps (cosine ${previous}).`,
          'Report the matrix; on another device it may converge.',
        );
      for (let round = 0; round < rounds.length; round++) {
        const at = { count: rounds[round].length / 2, pairOff: round * perRound };
        ops.svdGram(device, { x, pairs, gram, n, m, stride, slices, ...at });
        ops.svdTurn(device, { gram, q, report, slices, sweeps: PAIR_SWEEPS, tol, floor, ...at });
        ops.svdApply(device, { x, q, pairs, report, n, stride, ...at });
        since += flopsOfRound;
        if (since < between) continue;
        since = 0;
        await pause(device, options);
        options.onShare?.(share(sweep - 1 + (round + 1) / rounds.length));
      }
      const { largest, top } = summary(await readFloats(device, report));
      if (!(largest >= 0 && top >= 0))
        throw new DeviceError(
          `svd of ${n} vectors of length ${m}: sweep ${sweep} gave no numbers.`,
          'Factor the model on the CPU device.',
        );
      floor = zero * top;
      options.onProgress?.(sweep, largest);
      await pause(device, options);
      const atNoise = largest <= 10 * stop && largest > previous / 2;
      if (largest <= stop || atNoise) break;
      previous = largest;
    }
    const turned = { ...apart(await readFloats(device, x), n, m), sweeps: sweep };
    for (const buffer of taken.splice(0)) buffer.free();
    await recomputeLengths(device, turned, start, n, m, options);
    return turned;
  } finally {
    for (const buffer of taken) buffer.free();
  }
}

/** Estimated progress after `sweeps` sweeps. With more sweeps than usual it approaches 1 but never reaches it. */
function share(sweeps: number): number {
  return sweeps < DEFAULT_SWEEPS - 1 ? sweeps / DEFAULT_SWEEPS : 1 - 1 / (sweeps - DEFAULT_SWEEPS + 2) / DEFAULT_SWEEPS;
}

async function pause(device: Device, { signal, breathe }: SvdOptions): Promise<void> {
  await device.sync();
  await breathe?.();
  if (signal?.aborted) throw new StoppedError('svd stopped', 'Start it again: matrices that were done are kept.');
}

function withIdentity(start: Float64Array, n: number, m: number, double: boolean): FloatArray {
  const x = new (double ? Float64Array : Float32Array)(n * (m + n));
  for (let i = 0; i < n; i++) {
    x.set(start.subarray(i * m, (i + 1) * m), i * (m + n));
    x[i * (m + n) + m + i] = 1;
  }
  return x;
}

function largestSquare(start: Float64Array, n: number, m: number): number {
  let largest = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = i * m; j < (i + 1) * m; j++) sum += start[j] * start[j];
    largest = Math.max(largest, sum);
  }
  return largest;
}

function summary(report: FloatArray): { largest: number; top: number } {
  let largest = 0;
  let top = 0;
  for (let i = 0; i < report.length; i += 3) {
    largest = Math.max(largest, report[i]);
    top = Math.max(top, report[i + 1]);
  }
  return { largest, top };
}

/** Splits rows of m + n into a [n, m] and v [n, n]. Rounding in the rotations scales both parts equally, so both are divided by v's length. */
function apart(x: FloatArray, n: number, m: number): { a: Float64Array; v: Float64Array } {
  const a = new Float64Array(n * m);
  const v = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const row = x.subarray(i * (m + n), (i + 1) * (m + n));
    const length = Math.sqrt(dot(row, m, row, m, n));
    for (let j = 0; j < m; j++) a[i * m + j] = row[j] / length;
    for (let j = 0; j < n; j++) v[i * n + j] = row[m + j] / length;
  }
  return { a, v };
}

/**
 * Recomputes the lengths of a's rows. After hundreds of rotations the directions of a and v are accurate to about 1e-7, but a is about 1e-6
 * too short relative to v. Each length is recomputed as |a_i| = (v_i start)·a_i/|a_i|, except small ones, for which the product's error
 * would be larger.
 */
async function recomputeLengths(
  device: Device,
  { a, v }: Orthogonalised,
  start: Float64Array,
  n: number,
  m: number,
  options: SvdOptions,
): Promise<void> {
  const rows = Math.max(1, Math.floor(PRODUCT / (2 * n * m)));
  const taken = [put(device, v, 'svd.v'), put(device, start, 'svd.start')];
  try {
    const product = device.alloc(Math.min(rows, n) * m, 'f32', 'svd.product');
    taken.push(product);
    const lengths = Float64Array.from({ length: n }, (_, i) => Math.sqrt(dot(a, i * m, a, i * m, m)));
    const small = SMALL * Math.max(...lengths);
    for (let from = 0; from < n; from += rows) {
      const count = Math.min(rows, n - from);
      ops.matmul(device, { a: taken[0], b: taken[1], c: product, m: count, n: m, k: n, aOff: from * n });
      const fresh = await readFloats(device, product, 0, count * m);
      for (let i = from; i < from + count; i++) {
        if (!(lengths[i] > small)) continue;
        const factor = dot(a, i * m, fresh, (i - from) * m, m) / lengths[i] ** 2;
        for (let j = i * m; j < (i + 1) * m; j++) a[j] *= factor;
      }
      await pause(device, options);
    }
  } finally {
    for (const buffer of taken) buffer.free();
  }
}

function dot(x: FloatArray, xAt: number, y: FloatArray, yAt: number, n: number): number {
  let sum = 0;
  for (let j = 0; j < n; j++) sum += x[xAt + j] * y[yAt + j];
  return sum;
}
