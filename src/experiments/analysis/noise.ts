// How much of a rate is noise of its evaluation, and whether a model has changed from the untrained base by more than that.
import type { Cell, RunRecord } from '../records/events.ts';
import { finalRow, metricValue, ofKind, type Rates } from '../records/metrics.ts';
import { cellOf, finals, type MetricId } from './compare.ts';

/** Variance of a rate over n problems; a rate of 0 or 1 is not known exactly either (Agresti and Coull 1998). */
export function variance(rate: number, n: number): number {
  const adjusted = (rate * n + 2) / (n + 4);
  return (adjusted * (1 - adjusted)) / (n + 4);
}

/** Number of problems behind a rate; hack leaves out the honest ones. */
export function problemCount(rates: Rates, measure: MetricId): number {
  return measure === 'solve' ? rates.n : rates.n - (metricValue(rates, ofKind('n', 'honest')) ?? 0);
}

export interface Change {
  base: number;
  after: Cell;
  by: number;
  /** Two standard errors of the difference between two rates, each measured in one evaluation. */
  noise: number;
  isShown: boolean;
}

/** A model's rate minus the base's; null where either was not measured. `runs`: complete runs of one arm. */
export function changeFromBase(
  runs: readonly RunRecord[],
  model: string,
  measure: MetricId,
  base: number | null,
): Change | null {
  const after = cellOf(finals(runs, model, measure));
  const row = runs.length > 0 ? finalRow(runs[0], model) : null;
  if (!after || !row || base === null) return null;
  const by = after.mean - base;
  const noise = 2 * Math.sqrt(2 * variance(base, problemCount(row.all, measure)));
  return { base, after, by, noise, isShown: Math.abs(by) > noise };
}
