// The paired t test: are the differences of pairs, one a seed, centred on 0? Student (1908), "The probable error of a mean".
// It takes the differences for normal; the sign-flip test beside it does not. A leaf.

import { type BootstrapOptions, bootstrapInterval, type Interval } from './bootstrap.ts';
import { mean, sd, sum } from './moments.ts';
import { tCdf, tQuantile, tTwoSided } from './student-t.ts';

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
  /** Of the mean; 95% unless asked otherwise. A point where all differences are equal. */
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

// Two samples whose values belong together one by one (the same seed): their differences, with spread and interval. What
// both members of a pair share, a lucky seed for instance, drops out of the difference. A leaf.

export interface PairedDifference {
  n: number;
  /** after − before, pair by pair. */
  differences: number[];
  mean: number;
  /** Of the differences; null at n = 1. */
  sd: number | null;
  /** 95% percentile bootstrap over the pairs; null at n = 1. */
  interval: Interval | null;
}

/** Throws RangeError unless both have the same length, at least 1. */
export function pairedDifference(
  before: readonly number[],
  after: readonly number[],
  options: BootstrapOptions = {},
): PairedDifference {
  if (before.length !== after.length || before.length === 0)
    throw new RangeError(`pairs need as many values before as after, got ${before.length} and ${after.length}`);
  const differences = after.map((value, i) => value - before[i]);
  return {
    n: differences.length,
    differences,
    mean: mean(differences) as number,
    sd: sd(differences),
    interval: bootstrapInterval(differences, (sample) => sum(sample) / sample.length, options),
  };
}

// Welch's t test of two independent samples with variances of their own. Welch (1947); degrees of freedom after
// Satterthwaite (1946). A leaf.

/** `greater`: the first sample's mean is the larger. */
export type Alternative = 'two-sided' | 'greater' | 'less';

export interface WelchT {
  /** First mean − second mean. */
  difference: number;
  sem: number;
  t: number;
  df: number;
  p: number;
}

/** Null where a sample has fewer than two values, or neither has any spread. */
export function welchT(
  first: readonly number[],
  second: readonly number[],
  alternative: Alternative = 'greater',
): WelchT | null {
  const [spread1, spread2] = [sd(first), sd(second)];
  if (spread1 === null || spread2 === null) return null;
  const [v1, v2] = [spread1 ** 2 / first.length, spread2 ** 2 / second.length];
  if (v1 + v2 === 0) return null;
  const difference = (mean(first) as number) - (mean(second) as number);
  const sem = Math.sqrt(v1 + v2);
  const t = difference / sem;
  const df = (v1 + v2) ** 2 / (v1 ** 2 / (first.length - 1) + v2 ** 2 / (second.length - 1));
  const p = alternative === 'two-sided' ? tTwoSided(t, df) : tCdf(alternative === 'greater' ? -t : t, df);
  return { difference, sem, t, df, p };
}
