// Smoothing and down-sampling of a step series, in this order, because a mean over the remaining points would depend on which points are
// drawn. Pure functions, used only by the charts and their tests.

import { mean } from '../../stats/index.ts';

/** Weight of the past in the smoothing, as initially set in every chart. */
export const BETA = 0.6;

/**
 * Debiased exponential moving average: m_t = β m_{t−1} + (1−β) x_t, shown as m_t / (1 − β^t), so that the first values are not biased
 * towards zero. A null (nothing was measured) stays null and does not change the average.
 * @param beta weight of the past, 0 (off) ≤ β < 1.
 */
export function debiasedEma(values: readonly (number | null)[], beta: number): (number | null)[] {
  let average = 0;
  let weight = 0;
  return values.map((x) => {
    if (x === null || !Number.isFinite(x)) return null;
    average = beta * average + (1 - beta) * x;
    weight = beta * weight + (1 - beta);
    return average / weight;
  });
}

/** Mean of the values that are numbers, or null if there are none. */
export const meanOf = (values: readonly (number | null | undefined)[]): number | null =>
  mean(values.filter((x) => typeof x === 'number'));

/** Indices of at most `limit` of `length` points, evenly spaced, including the first and the last. */
export function pickIndices(length: number, limit: number): number[] {
  if (length <= limit) return Array.from({ length }, (_, i) => i);
  return Array.from({ length: limit }, (_, i) => Math.round((i * (length - 1)) / (limit - 1)));
}
