// What a finished run came to, by metric; the sweep's ranking, its table and its report read these.

import { headlinesOf } from '../environments/registry.ts';
import type { RunRecord } from '../records/events.ts';
import { finalRow, metricValue } from '../records/metrics.ts';
import type { SweepPlan } from './plan.ts';
import type { SweepSpec } from './spec.ts';

/** In the final evaluation. A run without a quarantine deploys what it trained. */
export function sweepMetric(run: RunRecord, model: SweepSpec['model'], metric: string): number | null {
  const row = (model === 'deployed' && finalRow(run, 'deployed')) || finalRow(run, 'total');
  return row && metricValue(row.all, metric);
}

export const scoreOfRun = (run: RunRecord, { id, model }: SweepPlan['metric']): number | null =>
  sweepMetric(run, model, id);

/** Metrics that a report has columns for: the sweep's own first, then its environments' headlines. */
export function reportedMetrics({ metric, configurations }: SweepPlan): string[] {
  const environments = new Set(configurations.map(({ rungs }) => rungs[0][0].spec.environment));
  const headlines = [...environments].flatMap((environment) => headlinesOf(environment).map(({ id }) => id));
  return [...new Set([metric.id, ...headlines])];
}
