// How far the mean of a few seeds can be from where it seems: Student's 95% interval, as charts of live runs draw it.
import { sd } from './moments.ts';
import { tQuantile } from './student-t.ts';

/** Values that an interval needs: of two it would say nothing (t = 12.7). */
export const FEWEST_FOR_INTERVAL = 3;

/** Half of the 95% t interval of the mean; null of too few values. */
export function meanHalfInterval(values: readonly number[]): number | null {
  const spread = values.length < FEWEST_FOR_INTERVAL ? null : sd(values);
  return spread === null ? null : (tQuantile(0.975, values.length - 1) * spread) / Math.sqrt(values.length);
}
