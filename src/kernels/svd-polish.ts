// Corrects, on the host in double precision, the error that a GPU's single precision leaves in a small matrix's singular
// vectors. Thousands of rotations and long sums leave angles of about 1e-6 to the true vectors, and hundreds of times that
// where two singular values are nearly equal; gradients of δS, which are taken along these vectors, would have the same
// error.
import type { Orthogonalised, SvdOptions } from './svd-types.ts';

/** Pairs with a smaller cosine are not rotated. After a sweep whose cosines are below its square root, all are below it. */
const TOL = 1e-14;
const MAX_SWEEPS = 10;
/** Rows shorter than this share of the longest are rounding noise without a direction. */
const ZERO = 1e-13;

/** Refines `turned` to double precision: makes v orthonormal, recomputes a = v start, and rotates again. */
export async function polish(
  turned: Orthogonalised,
  start: Float64Array,
  n: number,
  m: number,
  { breathe }: SvdOptions,
): Promise<Orthogonalised> {
  const v = Float64Array.from(turned.v);
  orthonormalise(v, n);
  const a = product(v, start, n, m);
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    await breathe?.();
    if (turnAll(a, v, n, m) <= Math.sqrt(TOL)) break;
  }
  return { a, v, sweeps: turned.sweeps };
}

/** Rotates each pair of rows of a (and of v) once; returns the largest |cos| between two rows. */
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

/** Gram–Schmidt over the rows of v [n, n], which are already orthonormal up to single-precision rounding. */
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
