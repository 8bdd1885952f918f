// Selects the axes of a basis that are used (METHOD "Hack basis": at load): slice to k, pool the singular values of all modules, zeroed
// ones included, drop every axis below one quantile of them, and every zero row. It is apart from basis.ts so that a picture of a basis can
// say the same of every axis, also of those that are dropped.
import { quantile } from '../stats/index.ts';

interface AxisStrength {
  s: number;
  /** True if its row is all zeros because tau removed it. */
  zero: boolean;
}

/** `kept`, or why not: `zeroed` by tau, under the noise `floor`, or beyond the first k. */
export type AxisFate = 'kept' | 'zeroed' | 'floor' | 'beyond';

interface Fates {
  /** Singular values below it are noise. */
  floor: number;
  /** [module][axis] */
  fates: AxisFate[][];
}

/** `modules[m][axis]` in file order. */
export function axisFates(
  modules: readonly (readonly AxisStrength[])[],
  { k, dropBottomFrac }: { k: number; dropBottomFrac: number },
): Fates {
  const pooled = modules.flatMap((axes) => axes.slice(0, k).map(({ s }) => s));
  const floor = quantile(pooled, dropBottomFrac) ?? 0;
  const fateOf = ({ s, zero }: AxisStrength, axis: number): AxisFate => {
    if (axis >= k) return 'beyond';
    if (zero || !(s > 0)) return 'zeroed';
    return s >= floor ? 'kept' : 'floor';
  };
  return { floor, fates: modules.map((axes) => axes.map(fateOf)) };
}
