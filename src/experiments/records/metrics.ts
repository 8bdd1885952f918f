// What an environment measures of a set of judged rollouts: numbers by the ids of its metrics. Rows, evaluations, tables, charts,
// comparisons and links are made of these alone, so that none of them knows an environment. What an id means is its MetricInfo's.

import type * as z from 'zod/mini';
import type { EvalRow, RunRecord } from './events.ts';
import type { probed, rates } from './rows-schema.ts';

export { type Metrics, ofKind } from '../../environments/metrics.ts';

export type Rates = z.infer<typeof rates>;

/** What was asked without sampling, by the environment's own ids. */
export type Probes = Record<string, z.infer<typeof probed>>;

/** Null where the environment has no such metric, and where there was nothing to measure. */
export function metricValue({ figures }: Pick<Rates, 'figures'>, id: string): number | null {
  return Object.hasOwn(figures, id) ? figures[id] : null;
}

/** The final evaluation of one of a run's models. */
export function finalRow({ evals }: Pick<RunRecord, 'evals'>, model: string): EvalRow | null {
  return evals.find((row) => row.kind === 'final' && row.model === model) ?? null;
}

/** One figure of it; null where it was not measured. */
export function finalMetric(run: Pick<RunRecord, 'evals'>, model: string, id: string): number | null {
  const row = finalRow(run, model);
  return row && metricValue(row.all, id);
}
