// Selects the axes of a basis that are used (METHOD "Hack basis": at load): slices to k, pools the singular values of all modules (zeroed
// ones included), and drops axes below a quantile of them and zero rows. Separate from basis.ts so that charts can show the fate of every
// axis, including dropped ones.
import { quantile } from '../stats/index.ts';

interface AxisStrength {
  s: number;
  /** True if its row is all zeros (removed by tau). */
  zero: boolean;
}

/** `kept`, or the reason for dropping: `zeroed` by tau, below the noise `floor`, or `beyond` the first k. */
export type AxisFate = 'kept' | 'zeroed' | 'floor' | 'beyond';

interface AxisFates {
  /** Singular values below it count as noise. */
  floor: number;
  /** [module][axis] */
  fates: AxisFate[][];
}

/** `modules[m][axis]` in file order. */
export function axisFates(
  modules: readonly (readonly AxisStrength[])[],
  { k, dropBottomFrac }: { k: number; dropBottomFrac: number },
): AxisFates {
  const pooled = modules.flatMap((axes) => axes.slice(0, k).map(({ s }) => s));
  const floor = quantile(pooled, dropBottomFrac) ?? 0;
  const fateOf = ({ s, zero }: AxisStrength, axis: number): AxisFate => {
    if (axis >= k) return 'beyond';
    if (zero || !(s > 0)) return 'zeroed';
    return s >= floor ? 'kept' : 'floor';
  };
  return { floor, fates: modules.map((axes) => axes.map(fateOf)) };
}
