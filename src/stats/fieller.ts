// The interval of a ratio of two means of pairs (Fieller 1954): all ρ for which the mean of y − ρ x is not significantly different from 0.
// Unlike a bootstrap of the ratio, it detects when there is no bounded interval: if the denominator is not significantly different from 0.
import type { Interval } from './bootstrap.ts';
import { mean } from './moments.ts';
import { tQuantile } from './student-t.ts';

export interface Ratio {
  n: number;
  /** Mean of the numerators over mean of the denominators; null if the latter is 0. */
  ratio: number | null;
  /** Null for fewer than two pairs, and if the denominator's own interval includes 0. */
  interval: Interval | null;
}

export function fieller(pairs: readonly (readonly [numerator: number, denominator: number])[], coverage = 0.95): Ratio {
  const n = pairs.length;
  const y = mean(pairs.map(([numerator]) => numerator)) ?? 0;
  const x = mean(pairs.map(([, denominator]) => denominator)) ?? 0;
  const ratio = x === 0 ? null : y / x;
  if (n < 2 || ratio === null) return { n, ratio, interval: null };
  let [yy, xx, xy] = [0, 0, 0];
  for (const [a, b] of pairs) {
    yy += (a - y) ** 2;
    xx += (b - x) ** 2;
    xy += (a - y) * (b - x);
  }
  const t = tQuantile((1 + coverage) / 2, n - 1);
  // `scale` times a sum of squares is t² times the variance of the mean.
  const scale = (t * t) / (n * (n - 1));
  const a = x * x - scale * xx;
  const b = x * y - scale * xy;
  const c = y * y - scale * yy;
  if (a <= 0) return { n, ratio, interval: null };
  const root = Math.sqrt(Math.max(0, b * b - a * c));
  return { n, ratio, interval: { low: (b - root) / a, high: (b + root) / a } };
}
