// Reduced singular value decomposition W = U diag(S) Vh on either device, with one-sided Jacobi (Hestenes) on single pairs of vectors
// (svd-pairs.ts) or, for large matrices, on pairs of blocks (svd-blocks.ts). The vectors are W's columns if d_out ≥ d_in (then the
// accumulated rotations give Vh), otherwise its rows (then they give Uᵀ). Signs: in each row of Vh the entry of largest magnitude (the
// first of equals) is positive.
import { FormatError, ShapeError } from '@projected-grpo-lab/base/errors.ts';
import type { Device, FloatArray } from './device.ts';
import { finish } from './svd-finish.ts';
import { turnPairs } from './svd-pairs.ts';
import type { SvdMethod, SvdOptions } from './svd-types.ts';

export interface Svd {
  /** [dOut, r], orthonormal columns, r = min(dOut, dIn). */
  U: FloatArray;
  /** [r], descending; exactly 0 where numerically zero. */
  S: FloatArray;
  /** [r, dIn], orthonormal rows. */
  Vh: FloatArray;
  sweeps: number;
}

export type { SvdMethod, SvdOptions } from './svd-types.ts';

/** Number of vectors from which `blocks` is the default; the embedded models have at most 128. On a GPU the errors of single
 *  pairs must be corrected on the host (svd-polish.ts), which takes seconds beyond this size. */
const BLOCKS_FROM = { cpu: 512, webgpu: 192 } as const;

/** Default method for a matrix. It is the same for all devices of a kind, although software adapters are slower with blocks. */
export function svdMethod(device: Device, dOut: number, dIn: number): SvdMethod {
  return Math.min(dOut, dIn) >= BLOCKS_FROM[device.kind] ? 'blocks' : 'pairs';
}

/**
 * W [dOut, dIn] is row-major. Throws ShapeError if the length is not dOut·dIn, FormatError on a non-finite entry,
 * StoppedError on abort, DeviceError if the sweeps do not converge.
 */
export async function svd(
  device: Device,
  w: FloatArray,
  dOut: number,
  dIn: number,
  options: SvdOptions = {},
): Promise<Svd> {
  if (!(dOut >= 1 && dIn >= 1) || w.length !== dOut * dIn)
    throw new ShapeError(`svd of [${dOut}, ${dIn}] got ${w.length} elements.`, 'Pass the matrix row-major, whole.');
  const onColumns = dOut >= dIn;
  const n = Math.min(dOut, dIn);
  const m = Math.max(dOut, dIn);
  const scale = powerOfTwoAtLeast(largestMagnitude(w));
  const start = new Float64Array(n * m); // [n, m], the vectors to be made orthogonal
  for (let i = 0; i < n; i++)
    for (let j = 0; j < m; j++) start[i * m + j] = (onColumns ? w[j * dIn + i] : w[i * dIn + j]) / scale;

  const epsilon = device.precision === 'f64' ? 2 ** -52 : 2 ** -23;
  const blocks = (options.method ?? svdMethod(device, dOut, dIn)) === 'blocks';
  // The code is loaded only for large matrices.
  const turn = blocks ? (await import('./svd-blocks.ts')).turnBlocks : turnPairs;
  const turned = await turn(device, start, n, m, options);
  // Blocks give small vectors with small relative error, so their noise bound is lower.
  const zero = epsilon * (blocks ? 4 : Math.sqrt(m));
  const vectors = await finish(turned, n, m, { weak: epsilon * m, zero, passes: blocks ? 2 : 1 }, options);

  const FloatOut = device.precision === 'f64' ? Float64Array : Float32Array;
  const U = new FloatOut(dOut * n);
  const S = new FloatOut(n);
  const Vh = new FloatOut(n * dIn);
  for (const [i, { sigma, long, short }] of vectors.entries()) {
    S[i] = sigma * scale;
    const left = onColumns ? long : short;
    const right = onColumns ? short : long;
    const sign = right[indexOfLargest(right)] < 0 ? -1 : 1;
    for (let j = 0; j < dOut; j++) U[j * n + i] = sign * left[j];
    for (let j = 0; j < dIn; j++) Vh[i * dIn + j] = sign * right[j];
  }
  return { U, S, Vh, sweeps: turned.sweeps };
}

function indexOfLargest(x: Float64Array): number {
  let at = 0;
  for (let i = 1; i < x.length; i++) if (Math.abs(x[i]) > Math.abs(x[at])) at = i;
  return at;
}

function largestMagnitude(w: FloatArray): number {
  let largest = 0;
  for (let i = 0; i < w.length; i++) {
    if (!Number.isFinite(w[i]))
      throw new FormatError(`svd: element ${i} is ${w[i]}.`, 'Download the weights again; they are damaged.');
    largest = Math.max(largest, Math.abs(w[i]));
  }
  return largest;
}

/** Dividing by it is exact and prevents underflow and overflow of squares; 1 for 0. */
function powerOfTwoAtLeast(x: number): number {
  return x === 0 ? 1 : 2 ** Math.ceil(Math.log2(x));
}
