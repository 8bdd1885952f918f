// An environment's measures of a set of judged rollouts: numbers by the ids of its metrics. Rows, evaluations, tables, charts, comparisons
// and links use these alone, so that none of them knows an environment. MetricInfo gives the meaning of an id.

import type * as z from 'zod/mini';
import type { EvalRow, RunRecord } from './events.ts';
import type { probed, rates } from './rows-schema.ts';

export { type Metrics, ofKind } from '../../environments/metrics.ts';

export type Rates = z.infer<typeof rates>;

/** Measured without sampling, by the environment's own ids. */
export type Probes = Record<string, z.infer<typeof probed>>;

/** Null if the environment has no such metric, or there was nothing to measure. */
export function metricValue({ figures }: Pick<Rates, 'figures'>, id: string): number | null {
  return Object.hasOwn(figures, id) ? figures[id] : null;
}

/** The final evaluation of one of a run's models. */
export function finalRow({ evals }: Pick<RunRecord, 'evals'>, model: string): EvalRow | null {
  return evals.find((row) => row.kind === 'final' && row.model === model) ?? null;
}

/** A metric of that evaluation; null if it was not measured. */
export function finalMetric(run: Pick<RunRecord, 'evals'>, model: string, id: string): number | null {
  const row = finalRow(run, model);
  return row && metricValue(row.all, id);
}
