// Trusted-direction projection (TDGA; Deng et al. 2026, arXiv:2605.25189). A short supervised warm-up on a few clean examples moves every
// weight by ΔW = P S Qᵀ; the RL gradient of W is then projected onto the top output directions P_r, weighted by their singular values.
//
// The adapter has one parameter a singular direction of W = U Σ Vh, and the warm-up moves W by U diag(δ) Vh: its output directions are
// columns of U, ordered by |δ|. Projecting G = U diag(g) Vh onto them, p pᵀ G weighted, gives U diag(w ⊙ g) Vh with w_j = |δ_j| / max |δ|
// of the module where j is among its top r, else 0: the projection is a weight for every parameter.
import type { GradientRule, Module } from './rule.ts';

function weigh(warmedUp: Float32Array, modules: readonly Module[], top: number): Float32Array {
  const weights = new Float32Array(warmedUp.length);
  for (const { offset, r } of modules) {
    const order = Array.from({ length: r }, (_, j) => offset + j).sort(
      (a, b) => Math.abs(warmedUp[b]) - Math.abs(warmedUp[a]) || a - b,
    );
    const largest = Math.abs(warmedUp[order[0]]);
    // A module that the warm-up left alone has no trusted direction.
    if (largest === 0) continue;
    for (const j of order.slice(0, top)) weights[j] = Math.abs(warmedUp[j]) / largest;
  }
  return weights;
}

export const tdga: GradientRule = { reads: 'weights', weigh };
