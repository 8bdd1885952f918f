// Singular values in double precision by an independent method: eigenvalues of the smaller Gram matrix, by Householder
// tridiagonalisation and implicit QL (Golub and Van Loan, "Matrix Computations", 8.3). The error is at most about 1e-8 of the largest
// value, for values near zero; sufficient as a reference for float32.

/** The min(rows, cols) singular values, descending. */
export function singularValues(w: ArrayLike<number>, rows: number, cols: number): Float64Array {
  const n = Math.min(rows, cols);
  const { diagonal, beside } = tridiagonal(gram(w, rows, cols), n);
  implicitQl(diagonal, beside);
  return diagonal.map((x) => Math.sqrt(Math.max(0, x))).sort((a, b) => b - a);
}

function gram(w: ArrayLike<number>, rows: number, cols: number): Float64Array[] {
  const n = Math.min(rows, cols);
  const m = Math.max(rows, cols);
  const vectors = Array.from({ length: n }, (_, i) =>
    Float64Array.from({ length: m }, (_, j) => (rows >= cols ? w[j * cols + i] : w[i * cols + j])),
  );
  const g = Array.from({ length: n }, () => new Float64Array(n));
  for (let p = 0; p < n; p++)
    for (let q = 0; q <= p; q++) {
      let sum = 0;
      for (let j = 0; j < m; j++) sum += vectors[p][j] * vectors[q][j];
      g[p][q] = sum;
      g[q][p] = sum;
    }
  return g;
}

/** Tridiagonalises g, which is overwritten. beside[i] is the off-diagonal element between i and i + 1. */
function tridiagonal(g: Float64Array[], n: number): { diagonal: Float64Array; beside: Float64Array } {
  const beside = new Float64Array(n);
  for (let k = n - 1; k > 1; k--) {
    // A reflection of the first k coordinates maps the start of row k to (0, …, 0, ±length).
    const v = g[k].slice(0, k);
    const length = Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
    beside[k - 1] = v[k - 1] >= 0 ? -length : length;
    v[k - 1] -= beside[k - 1];
    const half = v.reduce((sum, x) => sum + x * x, 0) / 2;
    if (half === 0) continue;
    const p = Float64Array.from(v, (_, i) => v.reduce((sum, x, j) => sum + x * g[i][j], 0) / half);
    const share = v.reduce((sum, x, i) => sum + x * p[i], 0) / (2 * half);
    for (let i = 0; i < k; i++) p[i] -= share * v[i];
    for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) g[i][j] -= v[i] * p[j] + p[i] * v[j];
  }
  if (n > 1) beside[0] = g[1][0];
  return { diagonal: Float64Array.from({ length: n }, (_, i) => g[i][i]), beside };
}

/** Replaces d by the eigenvalues, unsorted. */
function implicitQl(d: Float64Array, e: Float64Array): void {
  const n = d.length;
  for (let low = 0; low < n; low++)
    for (let turns = 0; ; turns++) {
      let high = low;
      while (high < n - 1 && Math.abs(e[high]) > 2 ** -52 * (Math.abs(d[high]) + Math.abs(d[high + 1]))) high++;
      if (high === low) break;
      if (turns === 80) throw new Error('the QL iteration did not converge');
      step(d, e, low, high);
    }
}

/** One QL sweep of rotations from `high` down to `low`, with Wilkinson's shift. */
function step(d: Float64Array, e: Float64Array, low: number, high: number): void {
  let g = (d[low + 1] - d[low]) / (2 * e[low]);
  g = d[high] - d[low] + e[low] / (g + (g >= 0 ? 1 : -1) * Math.hypot(g, 1));
  let [s, c, p] = [1, 1, 0];
  for (let i = high - 1; i >= low; i--) {
    const f = s * e[i];
    const b = c * e[i];
    const r = Math.hypot(f, g);
    e[i + 1] = r;
    if (r === 0) {
      d[i + 1] -= p;
      e[high] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    const t = (d[i] - g) * s + 2 * c * b;
    p = s * t;
    d[i + 1] = g + p;
    g = c * t - b;
  }
  d[low] -= p;
  e[low] = g;
  e[high] = 0;
}
