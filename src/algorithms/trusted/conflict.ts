// Conflicting gradients projected: what the mixture's gradient does against the trusted one is removed from it.
import { addInto } from '../vectors.ts';
import { dot, type GradientRule, type TwoGradients } from './rule.ts';

/** x without its part along −y; x itself where they do not conflict (⟨x, y⟩ ≥ 0, or y = 0). */
export function withoutConflict(x: Float32Array, y: Float32Array): Float32Array {
  const along = dot(x, y);
  if (along >= 0) return x;
  const scale = along / dot(y, y);
  return x.map((value, i) => value - scale * y[i]);
}

/**
 * A-GEM (Chaudhry et al. 2019, arXiv:1812.00420): g = g_u − ⟨g_u, g_t⟩/⟨g_t, g_t⟩ g_t where ⟨g_u, g_t⟩ < 0, else g_u. The trusted
 * problems only say what must not get worse; nothing is learnt from them.
 */
export const agem: GradientRule = {
  reads: 'gradient',
  combine: ({ untrusted, direction }: TwoGradients) => withoutConflict(untrusted, direction).slice(),
};

/**
 * PCGrad (Yu et al. 2020, arXiv:2001.06782) with two tasks: each gradient without what conflicts with the other as it was, then their
 * sum. The placebo's direction stands in what is taken from g_u alone.
 */
export const pcgrad: GradientRule = {
  reads: 'gradient',
  combine: ({ untrusted, trusted, direction }: TwoGradients) => {
    const g = withoutConflict(untrusted, direction).slice();
    addInto(g, withoutConflict(trusted, untrusted));
    return g;
  },
};
