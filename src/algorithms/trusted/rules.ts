// The rules of the arena's methods on trusted problems (src/experiments/methods/), and their placebo: a random direction of the trusted
// gradient's norm in every module, or its weights dealt anew.

import type { AdapterModule } from '../../engine/types.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { addInto, dot, norm } from '../vectors.ts';

// A rule for two gradients: from the mixture's and that of a few trusted problems to the one that AdamW is fed. All vectors are adapter
// parameters of one model, all modules end to end; sums run in double precision, in ascending order.

type Module = Pick<AdapterModule, 'offset' | 'r'>;

export interface TwoGradients {
  /** g_u: gradient of the whole mixture, hackable problems included. */
  untrusted: Float32Array;
  /** g_t: gradient of the trusted problems. */
  trusted: Float32Array;
  /** Trusted direction: g_t itself, or a random direction of its norms (the placebo). */
  direction: Float32Array;
  modules: readonly Module[];
}

export type Rule = (gradients: TwoGradients) => Float32Array;

// Trusted-direction projection (TDGA; Deng et al. 2026, arXiv:2605.25189). A short supervised warm-up on a few clean examples moves every
// weight by ΔW = P S Qᵀ; the RL gradient of W is then projected onto the top output directions P_r, weighted by their singular values.
//
// The adapter has one parameter a singular direction of W = U Σ Vh, and the warm-up moves W by U diag(δ) Vh: its output directions are
// columns of U, ordered by |δ|. Projecting G = U diag(g) Vh onto them, p pᵀ G weighted, gives U diag(w ⊙ g) Vh with w_j = |δ_j| / max |δ|
// of the module where j is among its top r, else 0: the projection is a weight for every parameter.

export function trustedWeights(warmedUp: Float32Array, modules: readonly Module[], top: number): Float32Array {
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

// Untrusted gradients where they agree with trusted ones, added to those: trusted data for the direction, untrusted data where it says
// the same (by element the sign test of Mansilla et al. 2021, "Domain generalization via gradient surgery"; by module a gate).

/** g_t + g_u where the signs of both are the same, element by element. */
export const agreeElement: Rule = ({ untrusted, trusted, direction }) =>
  trusted.map((value, i) => (untrusted[i] * direction[i] > 0 ? value + untrusted[i] : value));

/** g_t + g_u of the modules in which their inner product is positive. */
export const agreeModule: Rule = ({ untrusted, trusted, direction, modules }) => {
  const g = trusted.slice();
  for (const { offset, r } of modules) {
    if (dot(untrusted, direction, offset, offset + r) <= 0) continue;
    for (let j = offset; j < offset + r; j++) g[j] += untrusted[j];
  }
  return g;
};

// Conflicting gradients projected: what the mixture's gradient does against the trusted one is removed from it.

/** x without its part along −y; x itself where they do not conflict (⟨x, y⟩ ≥ 0, or y = 0). */
function withoutConflict(x: Float32Array, y: Float32Array): Float32Array {
  const along = dot(x, y);
  if (along >= 0) return x;
  const scale = along / dot(y, y);
  return x.map((value, i) => value - scale * y[i]);
}

/**
 * A-GEM (Chaudhry et al. 2019, arXiv:1812.00420): g = g_u − ⟨g_u, g_t⟩/⟨g_t, g_t⟩ g_t where ⟨g_u, g_t⟩ < 0, else g_u. The trusted
 * problems only say what must not get worse; nothing is learnt from them.
 */
export const agem: Rule = ({ untrusted, direction }) => withoutConflict(untrusted, direction).slice();

/**
 * PCGrad (Yu et al. 2020, arXiv:2001.06782) with two tasks: each gradient without what conflicts with the other as it was, then their
 * sum. The placebo's direction is in what is taken from g_u alone.
 */
export const pcgrad: Rule = ({ untrusted, trusted, direction }) => {
  const g = withoutConflict(untrusted, direction).slice();
  addInto(g, withoutConflict(trusted, untrusted));
  return g;
};

/** Keyed by (seed, step); `step` counts from 0. */
export function randomLike(
  trusted: Float32Array,
  modules: readonly Module[],
  { seed, step }: { seed: number; step: number },
): Float32Array {
  const out = new Float32Array(trusted.length);
  modules.forEach(({ offset, r }, m) => {
    const rng = CounterRng.of(seed, STREAMS.gate, step, m);
    for (let j = offset; j < offset + r; j++) out[j] = rng.normal();
    const scale = norm(trusted, offset, offset + r) / norm(out, offset, offset + r);
    for (let j = offset; j < offset + r; j++) out[j] *= scale;
  });
  return out;
}

/** The same weights, permuted among the parameters of each module. */
export function dealtAnew(weights: Float32Array, modules: readonly Module[], seed: number): Float32Array {
  const out = weights.slice();
  modules.forEach(({ offset, r }, m) => {
    const order = CounterRng.of(seed, STREAMS.gate, m).shuffle(Array.from({ length: r }, (_, j) => offset + j));
    for (let j = 0; j < r; j++) out[offset + j] = weights[order[j]];
  });
  return out;
}

/**
 * The same values among rollouts of equal reward: what a choice of rollouts would be that knows their rewards and nothing else. Lowest reward
 * first.
 */
export function dealtAmongEquals<T>(values: readonly T[], rewards: readonly number[], rng: CounterRng): T[] {
  const dealt = [...values];
  for (const paid of [...new Set(rewards)].toSorted((a, b) => a - b)) {
    const own = rewards.flatMap((reward, i) => (reward === paid ? [i] : []));
    for (const [k, i] of rng.shuffle([...own]).entries()) dealt[own[k]] = values[i];
  }
  return dealt;
}
