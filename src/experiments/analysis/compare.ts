// The rules of comparison as functions: only complete runs count, differences are paired by seed and by all other settings, and a mean over
// several seeds is never compared with a single seed. The table and the verdicts are made only from these functions.

import { percent } from '../../lib/numbers.ts';
import { mean, sd } from '../../stats/index.ts';
import type { Cell, RunRecord, StepRow } from '../records/events.ts';
import { finalRow, metricValue } from '../records/metrics.ts';

export function cellOf(values: readonly (number | null)[]): Cell | null {
  const known = values.filter((value) => value !== null);
  // Leaving out a seed without a value would silently change the sample, so there is no mean at all.
  if (known.length === 0 || known.length < values.length) return null;
  return { mean: mean(known) as number, sd: sd(known) };
}

/** Whether the run logged all its steps and was evaluated at the end. */
export function isComplete(run: RunRecord): boolean {
  return run.status === 'done' && run.rows.length === run.spec.steps && finalRow(run, 'total') !== null;
}

export type { Cell };

export type MetricId = string;

/** One value per run, in the runs' order. */
export function finals(runs: readonly RunRecord[], model: string, measure: MetricId): (number | null)[] {
  return runs.map((run) => {
    const row = finalRow(run, model);
    return row && metricValue(row.all, measure);
  });
}

/** Mean of the last five steps' student rate, per run. */
export function lastFive(runs: readonly RunRecord[], measure: MetricId): (number | null)[] {
  return runs.map(({ rows }) => meanOfRows(rows.slice(-5), ({ student }) => metricValue(student, measure)));
}

export function meanOfRows(rows: readonly StepRow[], value: (row: StepRow) => number | null): number | null {
  return mean(rows.map(value).filter((x) => x !== null));
}

/** model − vanilla, seed by seed; null unless both cover exactly the same seeds. */
export function pairedDelta(
  runs: readonly RunRecord[],
  model: string,
  vanilla: readonly RunRecord[],
  measure: MetricId,
): Cell | null {
  const sorted = [...runs].sort((a, b) => a.spec.seed - b.spec.seed);
  if (!sameSeeds(sorted, vanilla)) return null;
  const before = finals(vanilla, 'total', measure);
  return cellOf(
    finals(sorted, model, measure).map((value, i) => {
      const reference = before[i];
      return value === null || reference === null ? null : value - reference;
    }),
  );
}

export function sameSeeds(a: readonly RunRecord[], b: readonly RunRecord[]): boolean {
  return seedsOf(a).join() === seedsOf(b).join();
}

export function seedsOf(runs: readonly RunRecord[]): number[] {
  return runs.map(({ spec }) => spec.seed).sort((a, b) => a - b);
}

/** Number of last steps that are averaged, since a step's mean over few groups is noisy; and the largest mean that counts as zero. */
const LAST = 5;
const NOTHING = 0.02;

/** A note that the references have nothing left to teach in the run's last steps; null if they have, before there are as many steps, and
 *  where the reward is the truth. */
export function nothingLeftNote({ spec, rows }: Pick<RunRecord, 'spec' | 'rows'>, label: string): string | null {
  const deltas = rows.slice(-LAST).map(({ student }) => student.figures.teacherDelta ?? null);
  if (deltas.length < LAST || deltas.includes(null)) return null;
  const mean = deltas.reduce<number>((sum, delta) => sum + delta!, 0) / LAST;
  if (mean > NOTHING) return null;
  const points = percent(mean, 1, '');
  return `${label}, seed ${spec.seed}: teacher delta of the last ${LAST} steps ${points} points: references have nothing left to teach.`;
}
