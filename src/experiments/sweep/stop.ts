// The median rule: a configuration that is worse than the median of all after some steps ends there. Verdicts depend on interim values and not on
// the time of their arrival, so that any number of workers stops the same runs. Adapted from the median stopping rule of Golovin et al., 2017
// (Vizier), which compares a trial's best value with the running averages of completed trials; here all configurations are compared at the same
// step, by the same mean of their last steps.
import { mean } from '../../stats/index.ts';
import type { RunRecord } from '../records/events.ts';
import { metricValue } from '../records/metrics.ts';
import { type Scores, type SweepPlan, scoreOf } from './plan.ts';

/** Number of training steps, up to the rule's own, over which an interim value is averaged. */
export const INTERIM_STEPS = 10;

/** Why a configuration ended early. */
export interface Stopped {
  step: number;
  /** Mean over seeds; null where a seed has no value, which counts as worst. */
  interim: number | null;
  /** Median over all configurations; null while some have no interim value yet. */
  median: number | null;
}

/** `open`: missing values may still decide either way. */
export type Verdict = 'on' | 'open' | Stopped;

/** The trained model's metric, averaged over the last steps up to the rule's own; null if none of them has it. */
export function interimValue({ rows }: Pick<RunRecord, 'rows'>, { spec, metric }: SweepPlan): number | null {
  const after = spec.stop?.after ?? 0;
  const values = rows
    .filter(({ step }) => step > after - INTERIM_STEPS && step <= after)
    .map(({ student }) => metricValue(student, metric.id));
  return mean(values.filter((value) => value !== null && Number.isFinite(value)) as number[]);
}

/** A stopped run's record, cut at the rule's step. */
export function cutRecord(record: RunRecord, { spec }: SweepPlan): RunRecord {
  const after = spec.stop?.after ?? record.spec.steps;
  return {
    ...record,
    status: 'stopped',
    error: null,
    rows: record.rows.filter(({ step }) => step <= after),
    timings: record.timings.slice(0, after),
    evals: record.evals.filter(({ kind, step }) => kind === 'during' && step <= after),
  };
}

/** The median of a sorted list that is not empty. */
function median(sorted: readonly number[]): number {
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * Verdicts by configuration; all `on` where the sweep has no rule.
 *
 * A configuration with a run that was set aside before its interim value has no value: it enters no median, and its other runs continue as
 * without a rule.
 *
 * @param interim values by key, of runs that reached the rule's step
 * @param failed keys of runs that were set aside
 */
export function verdictsOf(plan: SweepPlan, interim: Scores, failed: ReadonlySet<string>): Verdict[] {
  const { configurations, metric, spec } = plan;
  const { stop } = spec;
  if (!stop) return configurations.map(() => 'on');
  const sign = metric.goal === 'higher' ? 1 : -1;
  /** By configuration: greater is better; null is excluded, undefined is missing. */
  const values = configurations.map(({ rungs: [runs] }) => {
    if (runs.some(({ key }) => failed.has(key) && !interim.has(key))) return null;
    const score = scoreOf(runs, interim);
    return score === undefined ? undefined : score === null ? Number.NEGATIVE_INFINITY : sign * score;
  });
  const known = values.filter((value) => typeof value === 'number');
  const missing = values.filter((value) => value === undefined).length;
  if (known.length === 0) return values.map((value) => (value === null ? 'on' : 'open'));
  // The median lies between its values with all missing ones worst, and with all of them best.
  const filled = (value: number) =>
    median([...known, ...Array.from({ length: missing }, () => value)].sort((a, b) => a - b));
  const [least, most] = [filled(Number.NEGATIVE_INFINITY), filled(Number.POSITIVE_INFINITY)];
  return values.map((value): Verdict => {
    if (value === null || (value !== undefined && value >= most)) return 'on';
    if (value === undefined || !(value < least)) return 'open';
    return {
      step: stop.after,
      interim: Number.isFinite(value) ? sign * value : null,
      median: missing === 0 ? sign * least : null,
    };
  });
}

/** Runs of configurations that end early, by key. */
export function stoppedRuns({ configurations }: SweepPlan, verdicts: readonly Verdict[]): Map<string, Stopped> {
  const stopped = new Map<string, Stopped>();
  for (const [i, verdict] of verdicts.entries())
    if (typeof verdict === 'object') for (const { key } of configurations[i].rungs[0]) stopped.set(key, verdict);
  return stopped;
}

/** Keys of runs that reached the rule's step and have no verdict yet. */
export function heldRuns({ configurations }: SweepPlan, verdicts: readonly Verdict[], interim: Scores): Set<string> {
  const runs = configurations.filter((_, i) => verdicts[i] === 'open').flatMap(({ rungs: [first] }) => first);
  return new Set(runs.map(({ key }) => key).filter((key) => interim.has(key)));
}

/** Most steps that the rule can save, and all steps: at most half of the configurations are below their median, and none if all are equal. */
export function savedSteps({ configurations, spec }: SweepPlan): { most: number; all: number } {
  const runs = new Map(configurations.flatMap(({ rungs: [first] }) => first.map((run) => [run.key, run.spec.steps])));
  const all = [...runs.values()].reduce((sum, steps) => sum + steps, 0);
  if (!spec.stop) return { most: 0, all };
  const { after } = spec.stop;
  const distinct = new Set(configurations.map(({ rungs: [[run]] }) => run.key)).size;
  const steps = configurations[0].rungs[0][0].spec.steps;
  const below = Math.min(configurations.length >> 1, distinct - 1);
  return { most: below * spec.seeds.length * (steps - after), all };
}
