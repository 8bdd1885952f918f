// Corrects on the host, in doubles, the error that a GPU's single precision leaves in a small matrix's vectors.
// Thousands of rotations, and sums of a vector's length, leave angles of some 1e-6 between the vectors that were found
// and the true ones; where two singular values nearly meet they are hundreds of times that, and a gradient on δS, which
// is taken along these vectors, is off by as much.
import type { SvdOptions, Turned } from './svd-types.ts';

/** Angles below it are not turned; a sweep that met none above its square root leaves none above it. */
const TOL = 1e-14;
const MAX_SWEEPS = 10;
/** A row so small beside the longest is rounding, and has no direction. */
const ZERO = 1e-13;

/** `turned` as it would be had it been found in doubles: v is made orthonormal, a is v `start` again, and rotated as before. */
export async function polish(
  turned: Turned,
  start: Float64Array,
  n: number,
  m: number,
  { breathe }: SvdOptions,
): Promise<Turned> {
  const v = Float64Array.from(turned.v);
  orthonormalise(v, n);
  const a = product(v, start, n, m);
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    await breathe?.();
    if (turnAll(a, v, n, m) <= Math.sqrt(TOL)) break;
  }
  return { a, v, sweeps: turned.sweeps };
}

/** One rotation of each pair of rows, of a and of v alike; the largest |cos| between two rows that it met. */
function turnAll(a: Float64Array, v: Float64Array, n: number, m: number): number {
  const squares = Array.from({ length: n }, (_, i) => squared(a.subarray(i * m, (i + 1) * m)));
  const floor = ZERO * ZERO * Math.max(...squares);
  let largest = 0;
  for (let p = 0; p < n; p++)
    for (let q = p + 1; q < n; q++) {
      const first = a.subarray(p * m, (p + 1) * m);
      const second = a.subarray(q * m, (q + 1) * m);
      const [alpha, beta, gamma] = [squared(first), squared(second), dot(first, second)];
      if (!(Math.min(alpha, beta) > floor)) continue;
      const cosine = Math.abs(gamma) / Math.sqrt(alpha * beta);
      largest = Math.max(largest, cosine);
      if (!(cosine > TOL)) continue;
      const zeta = (beta - alpha) / (2 * gamma);
      const t = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
      const c = 1 / Math.sqrt(1 + t * t);
      rotate(first, second, c, c * t);
      rotate(v.subarray(p * n, (p + 1) * n), v.subarray(q * n, (q + 1) * n), c, c * t);
    }
  return largest;
}

function rotate(x: Float64Array, y: Float64Array, c: number, s: number): void {
  for (let j = 0; j < x.length; j++) {
    const [a, b] = [x[j], y[j]];
    x[j] = c * a - s * b;
    y[j] = s * a + c * b;
  }
}

/** Gram–Schmidt over the rows of v [n, n], which are orthonormal already but for rounding in single precision. */
function orthonormalise(v: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    const own = v.subarray(i * n, (i + 1) * n);
    for (let k = 0; k < i; k++) {
      const other = v.subarray(k * n, (k + 1) * n);
      const along = dot(own, other);
      for (let j = 0; j < n; j++) own[j] -= along * other[j];
    }
    const length = Math.sqrt(squared(own));
    for (let j = 0; j < n; j++) own[j] /= length;
  }
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) sum += x[j] * y[j];
  return sum;
}

const squared = (x: Float64Array) => dot(x, x);

/** v [n, n] times x [n, m]. */
function product(v: Float64Array, x: Float64Array, n: number, m: number): Float64Array {
  const out = new Float64Array(n * m);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) {
      const factor = v[i * n + k];
      for (let j = 0; j < m; j++) out[i * m + j] += factor * x[k * m + j];
    }
  return out;
}
