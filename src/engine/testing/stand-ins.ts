// Substitutes for singular vectors, for benchmarks and tests of models whose SVD takes minutes.
import type { FactorReader } from '../adapters/svd.ts';

/** Column i of I − 2vvᵀ with |v| = 1: orthonormal without a factorisation, and dense. */
function reflection(rows: number, columns: number, transposed: boolean): Float32Array {
  const v = Float64Array.from({ length: rows }, (_, i) => Math.sin(1 + i));
  const square = v.reduce((sum, x) => sum + x * x, 0);
  const out = new Float32Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++)
      out[transposed ? j * rows + i : i * columns + j] = (i === j ? 1 : 0) - (2 * v[i] * v[j]) / square;
  return out;
}
/** Orthonormal U and Vh that are not singular vectors; folding and gradients do the same arithmetic with them. */
export const standIns: FactorReader = {
  read: async ({ dOut, dIn, r }) => ({
    U: reflection(dOut, r, false),
    S: new Float32Array(r).fill(1),
    Vh: reflection(dIn, r, true),
  }),
};
