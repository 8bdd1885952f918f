// Measures the hack-ward part of a vector (cin, cout, cout_update, fired) and its expectation by chance. relu is always applied before
// aggregation, so that negative components do not cancel hack-ward ones.
import { lnGamma, meanNorm } from '../stats/index.ts';
import type { HackBasis } from './basis.ts';
import { norm } from './vectors.ts';

/** Overlap above which a module counts as fired. */
const FIRED = 1e-6;

interface Overlap {
  /** Mean of ‖relu(V g)‖ / ‖g‖ over modules with a basis; null if none has a gradient. */
  mean: number | null;
  /** Share of those modules above 1e-6. */
  fired: number | null;
}

/** `coef` = V g, as returned by the projector. */
export function overlap(g: Float32Array, coef: Float32Array, basis: HackBasis): Overlap {
  let total = 0;
  let fired = 0;
  let n = 0;
  for (const { offset, r, k, cOffset } of basis.modules) {
    const length = norm(g, offset, offset + r);
    if (k === 0 || length === 0) continue;
    let squares = 0;
    for (let axis = cOffset; axis < cOffset + k; axis++) squares += Math.max(0, coef[axis]) ** 2;
    const value = Math.sqrt(squares) / length;
    total += value;
    if (value > FIRED) fired++;
    n++;
  }
  return n === 0 ? { mean: null, fired: null } : { mean: total / n, fired: fired / n };
}

/** Expected cin of a random unit gradient: mean over the modules of 2^−k Σ_j C(k,j) χ_j / χ_r; null without a basis. */
export function overlapNull(basis: HackBasis): number | null {
  const used = basis.modules.filter(({ k }) => k > 0);
  if (used.length === 0) return null;
  let total = 0;
  for (const { k, r } of used) {
    let expected = 0;
    // Signs are fair coins: j of k components are hack-ward with probability C(k,j)·2^−k (in logs, since k may be large).
    for (let j = 1; j <= k; j++) expected += Math.exp(lnBinomial(k, j) - k * Math.LN2) * meanNorm(j);
    total += expected / meanNorm(r);
  }
  return total / used.length;
}

function lnBinomial(n: number, k: number): number {
  return lnGamma(n + 1) - lnGamma(k + 1) - lnGamma(n - k + 1);
}
