// The paired t test of whether the differences of pairs, one per seed, have mean 0 (Student 1908, "The probable error of a mean").
// It assumes normal differences; the sign-flip test does not.
import type { Interval } from './bootstrap.ts';
import { mean, sd } from './moments.ts';
import { tQuantile, tTwoSided } from './student-t.ts';

export interface PairedT {
  n: number;
  mean: number;
  sd: number;
  sem: number;
  df: number;
  /** Null (like p) if all differences are equal. */
  t: number | null;
  /** Two-sided. */
  p: number | null;
  /** Interval of the mean, by default 95%; a point if all differences are equal. */
  interval: Interval;
}

/** Null for fewer than two differences. Throws RangeError on a coverage outside (0, 1). */
export function pairedT(differences: readonly number[], coverage = 0.95): PairedT | null {
  if (!(coverage > 0 && coverage < 1)) throw new RangeError(`coverage must lie between 0 and 1, got ${coverage}`);
  const spread = sd(differences);
  if (spread === null) return null;
  const n = differences.length;
  const df = n - 1;
  const centre = mean(differences) as number;
  const scale = Math.max(...differences.map(Math.abs));
  // Differences of rates that are equal on paper can differ in the last bit in floating point.
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

/** Fewest values for which charts show an interval of the mean; with two it would be uninformative (t = 12.7). */
export const FEWEST_FOR_INTERVAL = 3;
