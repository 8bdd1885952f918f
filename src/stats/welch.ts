// Welch's t test of two independent samples with different variances (Welch 1947), with Satterthwaite's degrees of freedom
// (1946).
import { mean, sd } from './moments.ts';
import { tCdf, tTwoSided } from './student-t.ts';

/** `greater`: the first sample's mean is larger. */
export type Alternative = 'two-sided' | 'greater' | 'less';

export interface WelchT {
  /** First mean − second mean. */
  difference: number;
  sem: number;
  t: number;
  df: number;
  p: number;
}

/** Null if a sample has fewer than two values, or neither has any spread. */
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
