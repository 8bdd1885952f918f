// Untrusted gradients where they agree with trusted ones, added to those: trusted data for the direction, untrusted data where it says
// the same (by element the sign test of Mansilla et al. 2021, "Domain generalization via gradient surgery"; by module a gate).
import { dot, type GradientRule } from './rule.ts';

/** g_t + g_u where the signs of both are the same, element by element. */
export const agreeElement: GradientRule = {
  reads: 'gradient',
  combine: ({ untrusted, trusted, direction }) =>
    trusted.map((value, i) => (untrusted[i] * direction[i] > 0 ? value + untrusted[i] : value)),
};

/** g_t + g_u of the modules in which their inner product is positive. */
export const agreeModule: GradientRule = {
  reads: 'gradient',
  combine: ({ untrusted, trusted, direction, modules }) => {
    const g = trusted.slice();
    for (const { offset, r } of modules) {
      if (dot(untrusted, direction, offset, offset + r) <= 0) continue;
      for (let j = offset; j < offset + r; j++) g[j] += untrusted[j];
    }
    return g;
  },
};

/** Two finished updates (adapter parameters less the untrained ones): their mean where the signs agree, the trusted one elsewhere. */
export function mergedWhereSignsAgree(trusted: Float32Array, untrusted: Float32Array): Float32Array {
  return trusted.map((value, i) => (value * untrusted[i] > 0 ? (value + untrusted[i]) / 2 : value));
}
