// An environment's metrics of a set of judged rollouts, by id. Rows, evaluations, tables, charts, comparisons and links use only these, so
// that none of them depends on an environment. MetricInfo gives the meaning of an id.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type * as z from 'zod/mini';
import { meanOfKnown } from '../../stats/index.ts';
import type { EvalRow, RunRecord } from './events.ts';
import type { probed, rates } from './rows-schema.ts';

export { type Metrics, ofKind } from '../../environments/metrics.ts';

export type Rates = z.infer<typeof rates>;

/** Measured without sampling, by ids of the environment. */
export type Probes = Record<string, z.infer<typeof probed>>;

/** Null if the environment has no such metric, or there was nothing to measure. */
export function metricValue({ figures }: Pick<Rates, 'figures'>, id: string): number | null {
  return Object.hasOwn(figures, id) ? figures[id] : null;
}

/** The final evaluation of one of a run's models, as the mean over its sampling seeds. */
export function finalRow({ evals }: Pick<RunRecord, 'evals'>, model: string): EvalRow | null {
  const row = evals.find((one) => one.kind === 'final' && one.model === model);
  return row ? overDraws(row) : null;
}

/** A metric of that evaluation per sampling seed, in order; null if it was not measured. */
export function finalDraws(
  { evals }: Pick<RunRecord, 'evals'>,
  model: string,
  of: (row: Pick<EvalRow, 'all' | 'splits'>) => number | null,
): (number | null)[] {
  const row = evals.find((one) => one.kind === 'final' && one.model === model);
  return row ? [row, ...(row.draws ?? [])].map(of) : [];
}

/** The row with means over its sampling seeds in place of the first seed's values; unchanged if there is only one. */
export function overDraws(measured: EvalRow): EvalRow {
  const { draws = [], ...row } = measured;
  if (draws.length === 0) return measured;
  const all = meanRates([row.all, ...draws.map((draw) => draw.all)]);
  const splits: EvalRow['splits'] = {};
  for (const [id, own] of Object.entries(row.splits))
    setOwn(splits, id, meanRates([own, ...draws.flatMap((draw) => draw.splits[id] ?? [])]));
  return { ...row, all, splits };
}

/** Means of rates over equally many rollouts each. Counts (`n`) are those of one evaluation, since the problems are the same. */
function meanRates(rates: readonly Rates[]): Rates {
  const [first] = rates;
  const figures: Rates['figures'] = {};
  for (const id of Object.keys(first.figures))
    setOwn(figures, id, meanOfKnown(rates.map((one) => metricValue(one, id))));
  const mean = (of: (one: Rates) => number | undefined) => meanOfKnown(rates.map((one) => of(one) ?? 0)) ?? 0;
  const unjudged = Math.round(mean((one) => one.unjudged));
  const most = rates.some(({ hackAtMost }) => hackAtMost !== undefined);
  return {
    n: first.n,
    ...(unjudged > 0 ? { unjudged } : {}),
    ...(most ? { hackAtMost: mean((one) => one.hackAtMost ?? metricValue(one, 'hack') ?? 0) } : {}),
    figures,
  };
}

/** A metric of the final evaluation; null if it was not measured. */
export function finalMetric(run: Pick<RunRecord, 'evals'>, model: string, id: string): number | null {
  const row = finalRow(run, model);
  return row && metricValue(row.all, id);
}
