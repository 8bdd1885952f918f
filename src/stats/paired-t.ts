// The paired t test: are the differences of pairs, one per seed, centred on 0? Student (1908), "The probable error of a mean".
// It takes the differences for normal; the sign-flip test beside it does not.
import type { Interval } from './bootstrap.ts';
import { mean, sd } from './moments.ts';
import { tQuantile, tTwoSided } from './student-t.ts';

export interface PairedT {
  n: number;
  mean: number;
  sd: number;
  sem: number;
  df: number;
  /** Null where all differences are equal: there is no spread to judge by, and no p. */
  t: number | null;
  /** Two-sided. */
  p: number | null;
  /** Interval of the mean; 95% unless asked otherwise. A point where all differences are equal. */
  interval: Interval;
}

/** Null below two differences, which have no spread. Throws RangeError on a coverage outside (0, 1). */
export function pairedT(differences: readonly number[], coverage = 0.95): PairedT | null {
  if (!(coverage > 0 && coverage < 1)) throw new RangeError(`coverage must lie between 0 and 1, got ${coverage}`);
  const spread = sd(differences);
  if (spread === null) return null;
  const n = differences.length;
  const df = n - 1;
  const centre = mean(differences) as number;
  const scale = Math.max(...differences.map(Math.abs));
  // Rates subtracted in floating point differ in the last bit where they are equal on paper.
  const equal = spread <= 1e-12 * scale;
  const sem = equal ? 0 : spread / Math.sqrt(n);
  const half = tQuantile(1 - (1 - coverage) / 2, df) * sem;
  const t = equal ? null : centre / sem;
  return {
    n,
    mean: centre,
    sd: equal ? 0 : spread,
    sem,
    df,
    t,
    p: t === null ? null : tTwoSided(t, df),
    interval: { low: centre - half, high: centre + half },
  };
}

/** Values that the interval of a chart's mean needs: of two it would say nothing (t = 12.7). */
export const FEWEST_FOR_INTERVAL = 3;
