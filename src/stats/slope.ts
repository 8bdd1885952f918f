// The slope of a least-squares line, with Student's interval; null instead of a made-up number.
import type { Interval } from './bootstrap.ts';
import { mean } from './moments.ts';
import { tQuantile } from './student-t.ts';

export interface Slope {
  n: number;
  /** Null where all x are the same. */
  slope: number | null;
  /** Null below three points. */
  interval: Interval | null;
}

/** Least-squares slope b of y = a + b·x, whose interval has n − 2 degrees of freedom. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[], coverage = 0.95): Slope {
  const n = points.length;
  const [x, y] = [mean(points.map(([one]) => one)) ?? 0, mean(points.map(([, one]) => one)) ?? 0];
  let [xx, xy] = [0, 0];
  for (const [a, b] of points) {
    xx += (a - x) ** 2;
    xy += (a - x) * (b - y);
  }
  if (xx === 0) return { n, slope: null, interval: null };
  const slope = xy / xx;
  if (n < 3) return { n, slope, interval: null };
  let left = 0;
  for (const [a, b] of points) left += (b - y - slope * (a - x)) ** 2;
  const half = tQuantile((1 + coverage) / 2, n - 2) * Math.sqrt(left / (n - 2) / xx);
  return { n, slope, interval: { low: slope - half, high: slope + half } };
}
