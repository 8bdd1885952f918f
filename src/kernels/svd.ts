// Reduced singular value decomposition W = U diag(S) Vh on either device: one-sided Jacobi (Hestenes), a round-robin
// tournament of `jacobi_round` kernels per sweep, convergence read back once a sweep. Works on the shorter side:
// the vectors are W's columns when d_out ≥ d_in (then the accumulated rotations are Vh), else its rows (then they
// are Uᵀ). Signs: in each row of Vh the entry of largest magnitude (the first of equals) is positive.
import { DeviceError, FormatError, ShapeError, StoppedError } from '../lib/errors.ts';
import { type Device, type DeviceBuffer, type FloatArray, put, readFloats } from './device.ts';
import { jacobiRound, rowDot } from './ops.ts';

export interface Svd {
  /** [dOut, r], orthonormal columns, r = min(dOut, dIn). */
  U: FloatArray;
  /** [r], descending; exactly 0 where numerically zero. */
  S: FloatArray;
  /** [r, dIn], orthonormal rows. */
  Vh: FloatArray;
  sweeps: number;
}

export interface SvdOptions {
  signal?: AbortSignal;
  /** After each sweep: its number (from 1) and the largest |cos| that it met between two vectors. */
  onProgress?: (sweep: number, largestCosine: number) => void;
}

const MAX_SWEEPS = 60;

/**
 * W [dOut, dIn] row-major. Throws ShapeError when the length is not dOut·dIn, FormatError on a non-finite entry,
 * StoppedError when the signal fires, DeviceError when 60 sweeps do not converge.
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

  const turned = await orthogonalize(device, start, n, m, options);
  const vectors = finish(turned.a, turned.v, n, m, device.precision === 'f64' ? 2 ** -52 : 2 ** -23);

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

/** Sweeps until all pairs of rows are orthogonal to working precision: a' = v a with v orthogonal. */
async function orthogonalize(device: Device, start: Float64Array, n: number, m: number, options: SvdOptions) {
  const double = device.precision === 'f64';
  // A pair is turned above `tol`; a sweep that met nothing above `stop` was the last.
  const tol = double ? 1e-15 : 2e-7;
  const stop = double ? 1e-13 : 2e-6;
  const rounds = tournament(n);
  const perRound = Math.floor(n / 2);
  const pairList = Uint32Array.from(rounds.flat());
  const identity = new Float64Array(n * n);
  for (let i = 0; i < n; i++) identity[i * n + i] = 1;
  const taken: DeviceBuffer[] = [];
  const own = (buffer: DeviceBuffer) => {
    taken.push(buffer);
    return buffer;
  };
  try {
    const a = own(put(device, start, 'svd.a'));
    const v = own(put(device, identity, 'svd.v'));
    const pairs = own(put(device, pairList.length > 0 ? pairList : new Uint32Array(2), 'svd.pairs'));
    const off = own(device.alloc(Math.max(1, pairList.length / 2), 'f32', 'svd.off'));
    const norms = own(device.alloc(n, 'f32', 'svd.norms'));
    let sweep = 0;
    let previous = Infinity;
    while (n > 1) {
      if (options.signal?.aborted) throw new StoppedError('svd stopped', 'Start it again; it takes a few seconds.');
      if (++sweep > MAX_SWEEPS)
        throw new DeviceError(
          `svd of ${n} vectors of length ${m} did not converge in ${MAX_SWEEPS} sweeps (cosine ${previous}).`,
          'Report the matrix; on another device it may converge.',
        );
      for (let round = 0; round < rounds.length; round++)
        jacobiRound(device, { a, v, pairs, off, m, nv: n, count: perRound, pairOff: round * perRound, tol });
      rowDot(device, { a, b: a, out: norms, r: n, cols: m });
      const cosines = await readFloats(device, off);
      const largest = largestCosine(cosines, pairList, await readFloats(device, norms), double ? 1e-26 : 1e-13);
      options.onProgress?.(sweep, largest);
      const atNoise = largest <= 10 * stop && largest > previous / 2;
      if (largest <= stop || atNoise) break;
      previous = largest;
    }
    return { a: await readFloats(device, a), v: await readFloats(device, v), sweeps: sweep };
  } finally {
    for (const buffer of taken) buffer.free();
  }
}

/** Every pair of 0 … n-1 once, in rounds of floor(n/2) disjoint pairs (the circle method; an odd n has a bye). */
function tournament(n: number): number[][] {
  const seats = n + (n % 2);
  return Array.from({ length: Math.max(0, seats - 1) }, (_, round) => {
    const pairs: number[] = [];
    for (let i = 0; i < seats / 2; i++) {
      const p = i === 0 ? seats - 1 : (round + i) % (seats - 1);
      const q = (round + seats - 1 - i) % (seats - 1);
      if (p < n && q < n) pairs.push(Math.min(p, q), Math.max(p, q));
    }
    return pairs;
  });
}

/** Over the pairs of which neither vector is numerically zero (squared norm below `zero` of the largest). */
function largestCosine(cosines: FloatArray, pairs: Uint32Array, squaredNorms: FloatArray, zero: number): number {
  let top = 0;
  for (const norm of squaredNorms) top = Math.max(top, norm);
  let largest = 0;
  for (let i = 0; i < cosines.length; i++)
    if (squaredNorms[pairs[i * 2]] > zero * top && squaredNorms[pairs[i * 2 + 1]] > zero * top)
      largest = Math.max(largest, cosines[i]);
  return largest;
}

interface Triplet {
  sigma: number;
  /** Unit vectors of length m and n. */
  long: Float64Array;
  short: Float64Array;
}

/** Sorts, normalises, and completes to orthonormal sets what belongs to a numerically zero singular value. */
function finish(a: FloatArray, v: FloatArray, n: number, m: number, epsilon: number): Triplet[] {
  const triplets = Array.from({ length: n }, (_, i): Triplet => {
    const long = Float64Array.from(a.subarray(i * m, (i + 1) * m));
    const short = Float64Array.from(v.subarray(i * n, (i + 1) * n));
    const sigma = norm(long);
    scaleBy(short, 1 / norm(short));
    return { sigma, long, short };
  }).sort((x, y) => y.sigma - x.sigma);
  // Below `weak` a vector is partly rounding, so it is set apart from the others once more; below `zero` it is nothing else.
  // Real weights have singular values between the two, and dropping them would be seen in U Σ Vh.
  const weak = triplets[0].sigma * epsilon * m;
  const zero = triplets[0].sigma * epsilon * Math.sqrt(m);
  for (const [i, triplet] of triplets.entries()) {
    const before = () => triplets.slice(0, i).map((other) => other.long);
    if (triplet.sigma <= weak && triplet.sigma > 0) {
      strip(triplet.long, before());
      triplet.sigma = norm(triplet.long);
    }
    if (triplet.sigma > zero) {
      scaleBy(triplet.long, 1 / triplet.sigma);
    } else {
      triplet.sigma = 0;
      triplet.long = orthonormalTo(before(), m);
    }
  }
  // Setting apart may have shortened one of two near equals.
  return triplets.sort((x, y) => y.sigma - x.sigma);
}

/** A unit vector orthogonal to fewer than m orthonormal ones: the best of the coordinate axes, made orthogonal twice. */
function orthonormalTo(basis: Float64Array[], m: number): Float64Array {
  // The axis least covered by the basis keeps at least sqrt((m − |basis|)/m) of its length.
  let axis = 0;
  let least = Infinity;
  for (let j = 0; j < m; j++) {
    let covered = 0;
    for (const b of basis) covered += b[j] * b[j];
    if (covered < least) {
      least = covered;
      axis = j;
    }
  }
  const x = new Float64Array(m);
  x[axis] = 1;
  for (let pass = 0; pass < 2; pass++) {
    strip(x, basis);
    scaleBy(x, 1 / norm(x));
  }
  return x;
}

/** Takes out of x what lies along each of these orthonormal vectors. */
function strip(x: Float64Array, basis: readonly Float64Array[]): void {
  for (const b of basis) {
    let dot = 0;
    for (let j = 0; j < x.length; j++) dot += b[j] * x[j];
    for (let j = 0; j < x.length; j++) x[j] -= dot * b[j];
  }
}

function norm(x: Float64Array): number {
  let sum = 0;
  for (const value of x) sum += value * value;
  return Math.sqrt(sum);
}

function scaleBy(x: Float64Array, factor: number): void {
  for (let i = 0; i < x.length; i++) x[i] *= factor;
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

/** Dividing by it is exact and keeps squares away from underflow and overflow; 1 for 0. */
function powerOfTwoAtLeast(x: number): number {
  return x === 0 ? 1 : 2 ** Math.ceil(Math.log2(x));
}
