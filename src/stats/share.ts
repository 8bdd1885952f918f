// Intervals of shares that stay within 0 and 1. For k successes in n independent trials: Wilson's (JASA 22, 1927), whose coverage is good
// even for few trials (Brown, Cai and DasGupta, Statistical Science 16, 2001). For a mean of shares with a standard error, such as over
// seeds: Student's t on the logit scale, with the error transformed by the delta method (Korn and Graubard, "Analysis of Health Surveys",
// 1999, §2.6).
import type { Interval } from './bootstrap.ts';
import { pairedT } from './paired-t.ts';
import { tQuantile } from './student-t.ts';

/** Degrees of freedom for which t quantiles are normal quantiles. */
const NORMAL_DF = 1e9;

/** Wilson's interval; null without trials. Throws RangeError unless 0 ≤ successes ≤ trials; successes may be fractional (a mean over repetitions). */
export function wilson(successes: number, trials: number, coverage = 0.95): Interval | null {
  if (!(successes >= 0 && successes <= trials))
    throw new RangeError(`wilson(successes, trials) needs 0 ≤ successes ≤ trials, got ${successes}, ${trials}`);
  if (trials === 0) return null;
  const z = tQuantile((1 + coverage) / 2, NORMAL_DF);
  const share = successes / trials;
  const scale = 1 + z ** 2 / trials;
  const centre = (share + z ** 2 / (2 * trials)) / scale;
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / trials + z ** 2 / (4 * trials ** 2));
  // The ends are set exactly, since rounding would miss 0 or 1.
  return { low: successes === 0 ? 0 : centre - half, high: successes === trials ? 1 : centre + half };
}

/** A mean with its standard error and degrees of freedom. */
interface Spread {
  mean: number;
  sem: number;
  df: number;
}

/** Interval of a mean of shares on the logit scale. Null for a mean of 0 or 1, where the spread is unknown; a point if sem = 0. */
export function shareInterval({ mean, sem, df }: Spread, coverage = 0.95): Interval | null {
  if (!(mean >= 0 && mean <= 1)) throw new RangeError(`a share lies between 0 and 1, got ${mean}`);
  if (mean === 0 || mean === 1) return null;
  if (sem === 0) return { low: mean, high: mean };
  const logit = Math.log(mean / (1 - mean));
  const half = (tQuantile((1 + coverage) / 2, df) * sem) / (mean * (1 - mean));
  const back = (x: number) => 1 / (1 + Math.exp(-x));
  return { low: back(logit - half), high: back(logit + half) };
}

/** Interval of the mean of shares, one per unit; also null for fewer than two units. Throws RangeError on a value outside 0 to 1. */
export function meanShareInterval(shares: readonly number[], coverage = 0.95): Interval | null {
  if (shares.some((share) => !(share >= 0 && share <= 1)))
    throw new RangeError(`shares lie between 0 and 1, got ${shares.join(', ')}`);
  const t = pairedT(shares, coverage);
  // Rounding can put a mean of shares just above 1.
  return t && shareInterval({ mean: Math.min(1, t.mean), sem: t.sem, df: t.df }, coverage);
}

/** Interval of a mean: on the logit scale for shares, otherwise Student's. Null for fewer than two values. */
export function meanInterval(values: readonly number[], isShare: boolean): Interval | null {
  return isShare ? meanShareInterval(values) : (pairedT(values)?.interval ?? null);
}

/** Width of an interval of shares above which the units disagree and are shown individually. */
const WIDEST_AGREEING = 0.4;

export const areApart = (interval: Interval | null): boolean =>
  interval !== null && interval.high - interval.low > WIDEST_AGREEING;

/** Clips an interval of a difference of two shares to [−1, 1], which does not change its coverage. */
export const withinDifferences = ({ low, high }: Interval): Interval => ({
  low: Math.max(-1, low),
  high: Math.min(1, high),
});
