// Smoothing and down-sampling of a step series, in this order: a mean taken after points were dropped would depend on the drawing. Pure;
// only the charts and their tests use it.

import { mean } from '../../stats/index.ts';

/** Weight of the past in the smoothing, as every chart starts with. */
export const BETA = 0.6;

/**
 * Debiased exponential moving average: m_t = β m_{t−1} + (1−β) x_t, shown as m_t / (1 − β^t), so that the first values are
 * not pulled towards zero. A null (nothing was measured) stays null and leaves the average as it was.
 *
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

/** Mean of the values that are numbers; null without any. */
export const meanOf = (values: readonly (number | null | undefined)[]): number | null =>
  mean(values.filter((x) => typeof x === 'number'));

/** Indices of at most `limit` of `length` points, evenly spread, first and last included. */
export function pickIndices(length: number, limit: number): number[] {
  if (length <= limit) return Array.from({ length }, (_, i) => i);
  return Array.from({ length: limit }, (_, i) => Math.round((i * (length - 1)) / (limit - 1)));
}
