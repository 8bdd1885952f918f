// SVD of a short, wide matrix (a few dozen pairs × r) in double precision: one-sided Jacobi on the rows
// (Demmel & Veselić 1992: small singular values keep their relative accuracy). Rotations J make the rows of J·D orthogonal;
// their norms are the singular values, their directions the right singular vectors.

import { norm, subtractComponent } from './vectors.ts';

interface RowSvd {
  /** [n] descending. */
  S: Float64Array;
  /** [n, r] right singular vectors as rows; zero if the singular value is 0. */
  Vh: Float64Array;
}

const MAX_SWEEPS = 60;
/** Cosine below which rows count as orthogonal. */
const TOLERANCE = 1e-15;
/** Width from which the sweeps run on a small triangular factor instead of the rows (a LoRA module's r = rank · (d_out + d_in)). */
const WIDE = 4096;

/** SVD of D [n, r], row-major; D is not changed. */
export function rowSvd(D: Float64Array, n: number, r: number): RowSvd {
  if (n > r) return tallSvd(D, n, r);
  return r >= WIDE && r > 2 * n ? wideSvd(D, n, r) : jacobi(D, n, r);
}

/** D = L Q with L [n, n] and orthonormal rows Q [n, r]; L = U S W gives D = U S (W Q). This reads rows of length r only about n² times. */
function wideSvd(D: Float64Array, n: number, r: number): RowSvd {
  const { L, Q } = orthogonalFactor(D, n, r);
  const { S, Vh: W } = jacobi(L, n, n);
  const Vh = new Float64Array(n * r);
  for (let i = 0; i < n; i++)
    for (let q = 0; q < n; q++) {
      const w = W[i * n + q];
      if (w !== 0) for (let j = 0; j < r; j++) Vh[i * r + j] += w * Q[q * r + j];
    }
  return { S, Vh };
}

/**
 * For more rows than columns: Dᵀ = L Q with L [r, r], so D = Qᵀ Lᵀ has the right singular vectors of Lᵀ. Sweeps on the n rows would
 * leave n − r rows of rounding noise, which never become orthogonal.
 */
function tallSvd(D: Float64Array, n: number, r: number): RowSvd {
  const { L } = orthogonalFactor(transposed(D, n, r), r, n);
  const inner = jacobi(transposed(L, r, r), r, r);
  const [S, Vh] = [new Float64Array(n), new Float64Array(n * r)];
  S.set(inner.S);
  Vh.set(inner.Vh);
  return { S, Vh };
}

/** [rows, columns] → [columns, rows] */
const transposed = (a: Float64Array, rows: number, columns: number): Float64Array =>
  Float64Array.from({ length: rows * columns }, (_, at) => a[(at % rows) * columns + Math.floor(at / rows)]);

/** Gram-Schmidt, each row twice (Kahan and Parlett: twice is enough). A row in the span of the earlier ones has a zero row in Q. */
export function orthogonalFactor(D: Float64Array, n: number, r: number): { L: Float64Array; Q: Float64Array } {
  const Q = D.slice();
  const L = new Float64Array(n * n);
  const rows = Array.from({ length: n }, (_, i) => Q.subarray(i * r, (i + 1) * r));
  for (const [i, row] of rows.entries()) {
    const before = norm(row);
    for (let pass = 0; pass < 2; pass++) for (let q = 0; q < i; q++) L[i * n + q] += subtractComponent(row, rows[q]);
    const left = norm(row);
    const isDependent = left <= before * n * Number.EPSILON;
    L[i * n + i] = isDependent ? 0 : left;
    for (let j = 0; j < r; j++) row[j] = isDependent ? 0 : row[j] / left;
  }
  return { L, Q };
}

function jacobi(D: Float64Array, n: number, r: number): RowSvd {
  const a = D.slice();
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let rotated = false;
    for (let p = 0; p < n - 1; p++) for (let q = p + 1; q < n; q++) if (rotate(a, p * r, q * r, r)) rotated = true;
    if (!rotated) break;
  }
  const lengths = Float64Array.from({ length: n }, (_, i) => norm(a, i * r, (i + 1) * r));
  // A stable order makes the result the same everywhere.
  const order = Array.from(lengths.keys()).sort((i, j) => lengths[j] - lengths[i] || i - j);
  const S = new Float64Array(n);
  const Vh = new Float64Array(n * r);
  const floor = lengths[order[0] ?? 0] * n * Number.EPSILON;
  order.forEach((from, to) => {
    if (!(lengths[from] > floor)) return;
    S[to] = lengths[from];
    for (let j = 0; j < r; j++) Vh[to * r + j] = a[from * r + j] / lengths[from];
  });
  return { S, Vh };
}

/** Makes the rows at p and q orthogonal; returns false if they already were. */
function rotate(a: Float64Array, p: number, q: number, r: number): boolean {
  let alpha = 0;
  let beta = 0;
  let gamma = 0;
  for (let j = 0; j < r; j++) {
    alpha += a[p + j] * a[p + j];
    beta += a[q + j] * a[q + j];
    gamma += a[p + j] * a[q + j];
  }
  if (alpha === 0 || beta === 0 || Math.abs(gamma) <= TOLERANCE * Math.sqrt(alpha * beta)) return false;
  const zeta = (beta - alpha) / (2 * gamma);
  const t = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const c = 1 / Math.sqrt(1 + t * t);
  const s = c * t;
  for (let j = 0; j < r; j++) {
    const x = a[p + j];
    const y = a[q + j];
    a[p + j] = c * x - s * y;
    a[q + j] = s * x + c * y;
  }
  return true;
}
