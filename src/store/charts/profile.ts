// Evaluations along a profile (experiments/environments/profile.ts): the untrained base, and the latest evaluation of each arm as the mean
// over its seeds. While a run trains, these are evaluations during training, labelled with their step.

import type { Profile } from '../../environments/metric-info.ts';
import { nameOf } from '../../experiments/analysis/names.ts';
import type { EvalRow, RunRecord } from '../../experiments/records/events.ts';
import { metricValue } from '../../experiments/records/metrics.ts';
import { toCsv } from '../../lib/csv.ts';
import { FEWEST_FOR_INTERVAL, type Interval, meanShareInterval } from '../../stats/index.ts';
import { type ArmStyle, BASE_STYLE } from '../runs/arm-style.ts';
import { runsByArm } from './data.ts';
import { hasDeployed, trainingLooks } from './looks.ts';
import { meanOf } from './smoothing.ts';

export interface ProfileLine {
  id: string;
  label: string;
  style: ArmStyle;
  /** Number of seeds in the mean. */
  n: number;
  /** Steps trained before the evaluation: the minimum over the seeds. */
  step: number;
  /** One value for each point of the profile. With at least three seeds it has the mean's 95% interval. */
  values: { mean: number | null; interval: Interval | null }[];
}

export function profileLines(runs: readonly RunRecord[], { points }: Profile): ProfileLine[] {
  const line = (id: string, label: string, style: ArmStyle, rows: readonly EvalRow[]): ProfileLine[] => {
    const values = points.map(({ metric }) => {
      const found = rows.map(({ all }) => metricValue(all, metric)).filter((value) => value !== null);
      const interval = found.length < FEWEST_FOR_INTERVAL ? null : meanShareInterval(found);
      return { mean: meanOf(found), interval };
    });
    if (values.filter(({ mean }) => mean !== null).length < 2) return [];
    return [{ id, label, style, n: rows.length, step: Math.min(...rows.map(({ step }) => step)), values }];
  };
  const arms = runsByArm(runs);
  const lookOf = trainingLooks(arms);
  const all = runs.flatMap(({ evals }) => evals);
  // Every run evaluates the same base. The final evaluation uses a different set of problems from the evaluations during training, and only
  // evaluations on the same set are compared.
  const kind = all.some((row) => row.kind === 'final') ? 'final' : 'during';
  const base = all.find((row) => row.kind === kind && (row.model === 'base' || row.step === 0));
  return [
    ...(base ? line('base', nameOf('', 'base', []), BASE_STYLE, [base]) : []),
    ...[...arms].flatMap(([arm, list]) => {
      const model = hasDeployed(list[0]) ? 'deployed' : 'total';
      const latest = list.flatMap(({ evals }) => {
        const own = evals.filter((row) => row.model === model && row.step > 0);
        return own.length > 0 ? [own[own.length - 1]] : [];
      });
      const { label, style } = lookOf(arm);
      const name = model === 'deployed' ? nameOf(arm, 'deployed', [...arms.keys()]) : label;
      return latest.length > 0 ? line(arm, name, style, latest) : [];
    }),
  ];
}

/** One row per point of a line, with its mean and interval. */
export function profileCsv({ along, points }: Profile, lines: readonly ProfileLine[]): string {
  return toCsv(
    [along, 'line', 'step', 'seeds', 'mean', 'low', 'high'],
    lines.flatMap(({ label, n, step, values }) =>
      values.map(({ mean, interval }, i) => [points[i].x, label, step, n, mean, interval?.low, interval?.high]),
    ),
  );
}
