// The gradient rules of the arena's methods with trusted problems (src/experiments/methods/), and their placebos: a random direction with
// the trusted gradient's norm in every module, or permuted weights.

import type { AdapterModule } from '../../engine/types.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { addInto, dot, norm } from '../vectors.ts';

// A rule combines the gradient of the whole mixture and that of a few trusted problems into the one given to AdamW. All vectors are adapter
// parameters of one model, with modules concatenated; sums run in double precision, in ascending order.

type Module = Pick<AdapterModule, 'offset' | 'r'>;

export interface TwoGradients {
  /** g_u, the gradient of the whole mixture, including hackable problems. */
  untrusted: Float32Array;
  /** g_t, the gradient of the trusted problems. */
  trusted: Float32Array;
  /** Trusted direction: g_t itself, or a random direction with its norms (the placebo). */
  direction: Float32Array;
  modules: readonly Module[];
}

export type Rule = (gradients: TwoGradients) => Float32Array;

// Trusted-direction projection (TDGA; Deng et al. 2026, arXiv:2605.25189). A short supervised warm-up on a few clean examples moves every
// weight by ΔW = P S Qᵀ; the RL gradient of W is then projected onto the top output directions P_r, weighted by their singular values.
//
// The svd adapter has one parameter per singular direction of W = U Σ Vh, and the warm-up moves W by U diag(δ) Vh, whose output directions
// are columns of U, ordered by |δ|. The weighted projection of G = U diag(g) Vh onto them is U diag(w ⊙ g) Vh with w_j = |δ_j| / max |δ| of
// the module if j is among its top r, otherwise 0. So the projection is a weight for every parameter.

export function trustedWeights(warmedUp: Float32Array, modules: readonly Module[], top: number): Float32Array {
  const weights = new Float32Array(warmedUp.length);
  for (const { offset, r } of modules) {
    const order = Array.from({ length: r }, (_, j) => offset + j).sort(
      (a, b) => Math.abs(warmedUp[b]) - Math.abs(warmedUp[a]) || a - b,
    );
    const largest = Math.abs(warmedUp[order[0]]);
    // A module that the warm-up did not change has no trusted direction.
    if (largest === 0) continue;
    for (const j of order.slice(0, top)) weights[j] = Math.abs(warmedUp[j]) / largest;
  }
  return weights;
}

// Adds untrusted gradients to trusted ones where they agree (by element, the sign test of Mansilla et al. 2021, "Domain generalization via
// gradient surgery"; by module, a gate).

/** g_t + g_u for elements with equal signs, otherwise g_t. */
export const agreeElement: Rule = ({ untrusted, trusted, direction }) =>
  trusted.map((value, i) => (untrusted[i] * direction[i] > 0 ? value + untrusted[i] : value));

/** g_t + g_u in modules with a positive inner product, otherwise g_t. */
export const agreeModule: Rule = ({ untrusted, trusted, direction, modules }) => {
  const g = trusted.slice();
  for (const { offset, r } of modules) {
    if (dot(untrusted, direction, offset, offset + r) <= 0) continue;
    for (let j = offset; j < offset + r; j++) g[j] += untrusted[j];
  }
  return g;
};

// Projection of conflicting gradients: removes the component of the mixture's gradient that opposes the trusted one.

/** x without its component along −y; x itself if they do not conflict (⟨x, y⟩ ≥ 0, or y = 0). */
function withoutConflict(x: Float32Array, y: Float32Array): Float32Array {
  const along = dot(x, y);
  if (along >= 0) return x;
  const scale = along / dot(y, y);
  return x.map((value, i) => value - scale * y[i]);
}

/**
 * A-GEM (Chaudhry et al. 2019, arXiv:1812.00420): g = g_u − ⟨g_u, g_t⟩/⟨g_t, g_t⟩ g_t if ⟨g_u, g_t⟩ < 0, otherwise g_u. The trusted
 * problems are only a constraint; nothing is learned from them.
 */
export const agem: Rule = ({ untrusted, direction }) => withoutConflict(untrusted, direction).slice();

/**
 * PCGrad (Yu et al. 2020, arXiv:2001.06782) with two tasks: the sum of both gradients, each without its component that conflicts with the
 * other's original value. The placebo's direction only affects what is removed from g_u.
 */
export const pcgrad: Rule = ({ untrusted, trusted, direction }) => {
  const g = withoutConflict(untrusted, direction).slice();
  addInto(g, withoutConflict(trusted, untrusted));
  return g;
};

/** A random direction with the norm of `trusted` in every module; its key is (seed, step), with `step` from 0. */
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

/** The weights, permuted among the parameters of each module. */
export function permutedWithinModules(weights: Float32Array, modules: readonly Module[], seed: number): Float32Array {
  const out = weights.slice();
  modules.forEach(({ offset, r }, m) => {
    const order = CounterRng.of(seed, STREAMS.gate, m).shuffle(Array.from({ length: r }, (_, j) => offset + j));
    for (let j = 0; j < r; j++) out[offset + j] = weights[order[j]];
  });
  return out;
}

/**
 * The values, permuted among rollouts of equal reward: the placebo for a choice of rollouts that only depends on rewards. Random numbers are
 * used for the lowest reward first.
 */
export function permutedAmongEqualRewards<T>(values: readonly T[], rewards: readonly number[], rng: CounterRng): T[] {
  const dealt = [...values];
  for (const paid of [...new Set(rewards)].toSorted((a, b) => a - b)) {
    const own = rewards.flatMap((reward, i) => (reward === paid ? [i] : []));
    for (const [k, i] of rng.shuffle([...own]).entries()) dealt[own[k]] = values[i];
  }
  return dealt;
}
