// Checks of SVD factors in double precision, and matrices with known singular values.
import { CounterRng, STREAMS } from '../../rng/index.ts';
import type { FloatArray } from '../device.ts';
import type { Svd } from '../svd.ts';

export function randomMatrix(dOut: number, dIn: number, stream: number): Float32Array {
  const rng = CounterRng.of(5, STREAMS.test, stream);
  return Float32Array.from({ length: dOut * dIn }, () => rng.normal());
}

/** A matrix [dOut, dIn] with these singular values: a diagonal matrix between products of random reflections. */
export function matrixWith(values: ArrayLike<number>, dOut: number, dIn: number, stream: number): Float64Array {
  const rng = CounterRng.of(6, STREAMS.test, stream);
  const w = new Float64Array(dOut * dIn);
  for (let i = 0; i < Math.min(dOut, dIn); i++) w[i * dIn + i] = values[i];
  const unit = (length: number) => {
    const v = Float64Array.from({ length }, () => rng.normal());
    const norm = Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
    return v.map((x) => x / norm);
  };
  for (let times = 0; times < 4; times++) {
    const [u, v] = [unit(dOut), unit(dIn)];
    const left = new Float64Array(dIn);
    for (let i = 0; i < dOut; i++) for (let j = 0; j < dIn; j++) left[j] += u[i] * w[i * dIn + j];
    for (let i = 0; i < dOut; i++) for (let j = 0; j < dIn; j++) w[i * dIn + j] -= 2 * u[i] * left[j];
    for (let i = 0; i < dOut; i++) {
      let dot = 0;
      for (let j = 0; j < dIn; j++) dot += w[i * dIn + j] * v[j];
      for (let j = 0; j < dIn; j++) w[i * dIn + j] -= 2 * dot * v[j];
    }
  }
  return w;
}

/** Largest entry of |XᵀX − I| (byColumn) or |X Xᵀ − I|, for X [rows, cols]. */
export function orthogonalityError(x: FloatArray, rows: number, cols: number, byColumn: boolean): number {
  const count = byColumn ? cols : rows;
  const length = byColumn ? rows : cols;
  const vectors = Array.from({ length: count }, (_, i) =>
    Float64Array.from({ length }, (_, j) => (byColumn ? x[j * cols + i] : x[i * cols + j])),
  );
  let worst = 0;
  for (let i = 0; i < count; i++)
    for (let k = i; k < count; k++) {
      const [a, b] = [vectors[i], vectors[k]];
      let dot = 0;
      for (let j = 0; j < length; j++) dot += a[j] * b[j];
      worst = Math.max(worst, Math.abs(dot - (i === k ? 1 : 0)));
    }
  return worst;
}

/** ‖W − U Σ Vh‖_F / ‖W‖_F (absolute if W = 0). */
export function reconstructionError({ U, S, Vh }: Svd, w: FloatArray, dOut: number, dIn: number): number {
  const r = S.length;
  let error = 0;
  let total = 0;
  const row = new Float64Array(dIn);
  for (let i = 0; i < dOut; i++) {
    row.fill(0);
    for (let k = 0; k < r; k++) {
      const factor = U[i * r + k] * S[k];
      for (let j = 0; j < dIn; j++) row[j] += factor * Vh[k * dIn + j];
    }
    for (let j = 0; j < dIn; j++) {
      error += (w[i * dIn + j] - row[j]) ** 2;
      total += w[i * dIn + j] ** 2;
    }
  }
  return Math.sqrt(error / (total || 1));
}

/** Checks order, signs, orthogonality and U Σ Vh of the factors of w to a tolerance; returns the violations, or an empty
 *  list. */
export function faults(result: Svd, w: FloatArray, dOut: number, dIn: number, tolerance: number): string[] {
  const { U, S, Vh } = result;
  const found: string[] = [];
  const measured = {
    'UᵀU − I': orthogonalityError(U, dOut, S.length, true),
    'Vh Vhᵀ − I': orthogonalityError(Vh, S.length, dIn, false),
    'W − U Σ Vh': reconstructionError(result, w, dOut, dIn),
  };
  for (const [what, error] of Object.entries(measured))
    if (!(error < tolerance)) found.push(`${what}: ${error} of ${tolerance}`);
  for (let i = 0; i < S.length; i++) {
    if (!(S[i] >= 0) || (i > 0 && S[i] > S[i - 1])) found.push(`S[${i}] = ${S[i]} after ${S[i - 1]}`);
    const row = Vh.subarray(i * dIn, (i + 1) * dIn);
    let at = 0;
    for (let j = 1; j < dIn; j++) if (Math.abs(row[j]) > Math.abs(row[at])) at = j;
    if (!(row[at] > 0)) found.push(`the largest entry of Vh[${i}] is ${row[at]}`);
  }
  return found;
}
