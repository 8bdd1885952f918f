// The solve-orthogonalised basis (METHOD "Options"): what solving alone moves is taken out of the pairs' differences before
// they are decomposed, so that the hack axes do not lie along it.
import { rowSvd } from './small-svd.ts';

/** Of a row’s length, what rounding alone (the gradients are f32) may leave where stripping took everything. */
const ROUNDING = 1e-6;

/**
 * D ← D − (D Cᵀ) C in place, with C [m, r] the top right singular vectors of `clean` [n, r]; D is [n, r]. Fewer than m where
 * the clean gradients' rank is lower. A row that lay in their span altogether becomes exactly 0.
 */
export function stripRowSpace(D: Float64Array, clean: Float64Array, n: number, r: number, m: number): void {
  const { S, Vh } = rowSvd(clean, n, r);
  const axes = S.subarray(0, Math.min(m, n, r)).filter((s) => s > 0).length;
  for (let i = 0; i < n; i++) {
    const row = D.subarray(i * r, (i + 1) * r);
    const before = length(row);
    for (let axis = 0; axis < axes; axis++) {
      const unit = Vh.subarray(axis * r, (axis + 1) * r);
      let c = 0;
      for (let j = 0; j < r; j++) c += row[j] * unit[j];
      for (let j = 0; j < r; j++) row[j] -= c * unit[j];
    }
    if (length(row) <= ROUNDING * before) row.fill(0);
  }
}

function length(row: Float64Array): number {
  return Math.sqrt(row.reduce((sum, x) => sum + x * x, 0));
}
