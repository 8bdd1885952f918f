// Stability of the dominant output directions of the update ΔW: canonical correlations between two times in training, module by
// module (a diagnostic of TDGA; Deng et al. 2026, arXiv:2605.25189). It needs no labels, pairs or clean runs.
//
// The dominant output directions of a module are the left singular vectors of ΔW with the largest singular values.
//   lora, blocks: ΔW = B A is decomposed, and subspaces of the output space are compared.
//   svd: ΔW = U diag(δ) Vh is already decomposed. The directions are the columns of U with the largest |δ|. Two sets of columns of the
//     same U have canonical correlations of 1 (for each common column) and 0, whose mean is the common share.
//   full: not measured, since ΔW has no small factors.
import { loraParts } from '../engine/adapter-layout.ts';
import { frozenBlocks } from '../engine/adapters/frozen-blocks.ts';
import type { AdapterLayout, AdapterModule } from '../engine/types.ts';
import { mean } from '../stats/index.ts';
import { orthogonalFactor, rowSvd } from './small-svd.ts';

/** Most directions of a module that are compared; also at most half of its update's rank. */
const MOST = 8;

/** Directions of one module: column indices of U, or orthonormal rows [n, dOut]. Empty if the update is zero. */
export type OutputDirections = { columns: readonly number[] } | { rows: Float64Array; n: number };

/** Dominant output directions of each module, in the layout's order; null for the adapter `full`. */
export function outputDirections(layout: AdapterLayout, adapterParams: Float32Array): OutputDirections[] | null {
  if (layout.modules.some(({ whole }) => whole)) return null;
  const frozen = layout.modules.some(({ blocks }) => blocks) ? frozenBlocks(layout) : null;
  return layout.modules.map((module) =>
    module.rank === undefined ? largest(module, adapterParams) : ofProduct(factorsOf(module, adapterParams, frozen)),
  );
}

/** Mean canonical correlation over modules with non-zero updates at both times; null if there are none. */
export function directionsKept(before: readonly OutputDirections[], after: readonly OutputDirections[]): number | null {
  return mean(
    after.flatMap((now, m) => {
      const each = correlationsOf(before[m], now);
      return each.length === 0 ? [] : [mean(each) as number];
    }),
  );
}

/** Cosines of the principal angles between two spans, largest first: the singular values of A Bᵀ. Both have orthonormal rows, [n, d] and [m, d]. */
export function canonicalCorrelations(a: Float64Array, b: Float64Array, [n, m]: readonly [number, number]): number[] {
  const d = a.length / n;
  const products = new Float64Array(n * m);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < m; j++) {
      let sum = 0;
      for (let x = 0; x < d; x++) sum += a[i * d + x] * b[j * d + x];
      products[i * m + j] = sum;
    }
  return Array.from(rowSvd(products, n, m).S.subarray(0, Math.min(n, m)), (cosine) => Math.min(1, cosine));
}

function correlationsOf(a: OutputDirections, b: OutputDirections): number[] {
  if ('columns' in a && 'columns' in b) {
    const known = new Set(a.columns);
    const common = b.columns.filter((column) => known.has(column)).length;
    return Array.from({ length: Math.min(a.columns.length, b.columns.length) }, (_, i) => (i < common ? 1 : 0));
  }
  if ('columns' in a || 'columns' in b || a.n === 0 || b.n === 0) return [];
  return canonicalCorrelations(a.rows, b.rows, [a.n, b.n]);
}

const compared = (directions: number): number => Math.min(MOST, Math.max(1, Math.floor(directions / 2)));

/** The directions with the largest |δ|; ties keep their order. */
function largest({ offset, r }: AdapterModule, adapterParams: Float32Array): OutputDirections {
  const size = (j: number) => Math.abs(adapterParams[offset + j]);
  const moved = Array.from({ length: r }, (_, j) => j).filter((j) => size(j) > 0);
  return { columns: moved.sort((i, j) => size(j) - size(i) || i - j).slice(0, compared(r)) };
}

/** ΔW = B A with both factors as m rows: A [m, dIn], Bᵀ [m, dOut]. */
interface Factors {
  a: Float64Array;
  bT: Float64Array;
  m: number;
  dIn: number;
  dOut: number;
}

/** Factors of ΔW. For two blocks, (B0 + ΔB) ΔA + ΔB A0 = [B0 + ΔB, ΔB] [ΔA; A0]. */
function factorsOf(module: AdapterModule, adapterParams: Float32Array, frozen: Float32Array | null): Factors {
  const { dIn, dOut } = module;
  const { rank, a, b } = loraParts(module);
  const m = frozen ? 2 * rank : rank;
  const A = new Float64Array(m * dIn);
  const bT = new Float64Array(m * dOut);
  A.set(adapterParams.subarray(...a));
  if (frozen) A.set(frozen.subarray(...a), rank * dIn);
  for (let o = 0; o < dOut; o++)
    for (let q = 0; q < rank; q++) {
      const at = b[0] + o * rank + q;
      bT[q * dOut + o] = adapterParams[at] + (frozen ? frozen[at] : 0);
      if (frozen) bT[(rank + q) * dOut + o] = adapterParams[at];
    }
  return { a: A, bT, m, dIn, dOut };
}

/** With Bᵀ = L_b Q_b and A = L_a Q_a, B A = Q_bᵀ (L_bᵀ L_a) Q_a. The left singular vectors of the core L_bᵀ L_a [m, m], mapped by Q_bᵀ,
 *  are those of ΔW. */
function ofProduct({ a, bT, m, dIn, dOut }: Factors): OutputDirections {
  const [inner, outer] = [orthogonalFactor(a, m, dIn), orthogonalFactor(bT, m, dOut)];
  // This is the core's transpose, whose right singular vectors are the core's left ones.
  const core = new Float64Array(m * m);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < m; j++) {
      let sum = 0;
      for (let q = 0; q < m; q++) sum += inner.L[q * m + i] * outer.L[q * m + j];
      core[i * m + j] = sum;
    }
  const { S, Vh } = rowSvd(core, m, m);
  const n = Math.min(compared(Math.min(m, dIn, dOut)), S.filter((value) => value > 0).length);
  const rows = new Float64Array(n * dOut);
  for (let i = 0; i < n; i++)
    for (let q = 0; q < m; q++)
      for (let o = 0; o < dOut; o++) rows[i * dOut + o] += Vh[i * m + q] * outer.Q[q * dOut + o];
  return { rows, n };
}
