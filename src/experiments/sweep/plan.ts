// Plans a sweep's runs, each under its key (runs/key.ts), so that a run shared by two configurations, or already made by a study, is made once.
// Successive halving depends only on results: which runs may start is decided by the finished ones and not by time, so that any number of
// workers makes the same runs.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { nearest } from '@projected-grpo-lab/base/nearest.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { ArmName } from '../config/arms.ts';
import { idleSettings } from '../config/effect.ts';
import { baseOf } from '../config/preset-in.ts';
import type { Settings } from '../config/settings.ts';
import { parseExperimentSpec, resolveRun } from '../config/spec.ts';
import { ENVIRONMENT_NAMES, findEnvironment, headlinesOf, metricsOf } from '../environments/registry.ts';
import type { RunRecord } from '../records/events.ts';
import { finalRow, metricValue } from '../records/metrics.ts';
import { runCost } from '../runs/cost.ts';
import type { PlannedRun } from '../runs/finished.ts';
import { runKey } from '../runs/key.ts';
import { configurationsOf, type Values } from './axes.ts';
import type { SweepSpec } from './spec.ts';
import { type AxisOption, LIMITS, SweepError, valueText } from './spec.ts';

export interface Configuration {
  /** `lr 0.01, k 4` */
  label: string;
  values: Values;
  /** By rung: the configuration's runs, one per seed. */
  rungs: PlannedRun[][];
}

export interface SweepPlan {
  spec: SweepSpec;
  configurations: Configuration[];
  /** Steps of each rung; a single rung without halving. Empty if an axis varies the steps. */
  rungSteps: number[];
  /** By rung: the number of configurations. */
  quota: number[];
  metric: { id: string; model: SweepSpec['model']; goal: 'higher' | 'lower' };
}

/** Throws SweepError. */
export function planSweep(spec: SweepSpec): SweepPlan {
  const shared = spec.overrides as Partial<Settings>;
  const base = baseOf({ preset: spec.preset, overrides: shared });
  const arm: ArmName = spec.arm ?? base.arms[0];
  const defaultOf = (option: AxisOption): unknown =>
    option === 'arm' ? arm : (shared[option as keyof Settings] ?? base.settings[option as keyof Settings]);
  const all = configurationsOf(spec, defaultOf);
  const steps = defaultOf('steps') as number;
  const rungSteps = spec.axes.some(({ option }) => option === 'steps') ? [] : stepsOfRungs(spec, steps);
  const quota = quotas(all.length, rungSteps.length || 1, spec);
  const total = quota.reduce((sum, count) => sum + count, 0) * spec.seeds.length;
  if (total > LIMITS.runs)
    throw new SweepError(
      `The sweep has ${total} runs (${quota.join(' + ')} configurations × ${spec.seeds.length} seeds); ${LIMITS.runs} are allowed.`,
      'Draw fewer configurations (search.kind "random"), or give fewer seeds.',
    );
  const configurations = all.map((values) => {
    const label = Object.entries(values)
      .map(([name, value]) => `${name} ${valueText(value)}`)
      .join(', ');
    const rungs = (rungSteps.length ? rungSteps : [null]).map((rung) => runsOf(spec, arm, values, label, rung));
    return { label, values, rungs };
  });
  refuseStop(spec, configurations);
  return { spec, configurations, rungSteps, quota, metric: metricOf(spec, configurations) };
}

/** A sentence on each shared or varied option that affects none of the sweep's runs. */
export function idleOptions({ spec, configurations }: SweepPlan): string[] {
  const firsts = configurations.map(({ values, rungs }) => ({ values, run: rungs[0][0].spec }));
  const shared = idleSettings(
    spec.overrides as Partial<Settings>,
    firsts.map(({ run }) => run),
  );
  const varied = spec.axes.flatMap(({ option }) => {
    if (option === 'arm') return [];
    const idle = firsts.flatMap(({ values, run }) => idleSettings({ [option]: values[option] }, [run]));
    return idle.length < firsts.length ? [] : [`The axis ${option} changes nothing: ${idle[0]}`];
  });
  return [...shared, ...varied];
}

/** One configuration's runs. Throws SweepError with the configuration's name if its options contradict each other. */
function runsOf(
  spec: SweepSpec,
  defaultArm: ArmName,
  values: Values,
  label: string,
  steps: number | null,
): PlannedRun[] {
  const { arm = defaultArm, ...varied } = values;
  const overrides: Record<string, unknown> = { ...spec.overrides };
  for (const [name, value] of Object.entries(varied)) setOwn(overrides, name, value);
  if (steps !== null) overrides.steps = steps;
  try {
    const { preset, device, seeds } = spec;
    const experiment = parseExperimentSpec({ preset, device, seeds, arms: [arm], overrides });
    return experiment.seeds.map((seed) => {
      const run = resolveRun(experiment, arm as ArmName, seed);
      return { key: runKey(run), spec: run };
    });
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    throw new SweepError(
      `${label}: ${error.message}`,
      `${error.remedy} Or leave such configurations out with a constraint.`,
    );
  }
}

function stepsOfRungs({ search }: SweepSpec, steps: number): number[] {
  if (search.kind !== 'halving') return [steps];
  if (search.firstSteps >= steps)
    throw new SweepError(
      `The first rung has ${search.firstSteps} steps, and a whole run ${steps}.`,
      `Give search.firstSteps fewer than ${steps}.`,
    );
  const rungs: number[] = [];
  for (let at = search.firstSteps; at < steps; at *= search.factor) rungs.push(at);
  return [...rungs, steps];
}

/** Throws SweepError for a stop rule that the runs cannot follow. */
function refuseStop({ stop }: SweepSpec, configurations: readonly Configuration[]): void {
  if (!stop) return;
  for (const { label, rungs } of configurations)
    for (const { spec } of rungs.flat()) {
      if (stop.after >= spec.steps)
        throw new SweepError(
          `The stop rule looks after step ${stop.after}, and a run has ${spec.steps} steps.`,
          `Give stop.after fewer than ${spec.steps}.`,
        );
      if (spec.checkpointEvery === 0)
        throw new SweepError(
          `${label}: the stop rule needs checkpoints, and checkpointEvery is 0.`,
          'Set checkpointEvery to 1 or more.',
        );
    }
}

/** One configuration in `factor` of every rung continues, and at least one. */
function quotas(configurations: number, rungs: number, { search }: SweepSpec): number[] {
  const factor = search.kind === 'halving' ? search.factor : 1;
  const counts = [configurations];
  while (counts.length < rungs) counts.push(Math.max(1, Math.floor(counts[counts.length - 1] / factor)));
  return counts;
}

function metricOf(spec: SweepSpec, configurations: readonly Configuration[]): SweepPlan['metric'] {
  const environments = [...new Set(configurations.map(({ rungs }) => rungs[0][0].spec.environment))];
  for (const environment of environments) {
    if (findEnvironment(environment)) continue;
    const guess = nearest(environment, ENVIRONMENT_NAMES);
    throw new SweepError(
      `There is no environment ${JSON.stringify(environment)}${guess ? `; did you mean ${guess}?` : '.'}`,
      `There are ${ENVIRONMENT_NAMES.join(', ')}.`,
    );
  }
  const [known, ...others] = environments.map((environment) => metricsOf(environment));
  const shared = known.filter(({ id }) => others.every((metrics) => metrics.some((metric) => metric.id === id)));
  const found =
    spec.metric === undefined ? shared.find(({ headline }) => headline) : shared.find(({ id }) => id === spec.metric);
  if (!found) {
    const ids = shared.map(({ id }) => id);
    const guess = spec.metric === undefined ? null : nearest(spec.metric, ids);
    throw new SweepError(
      `${environments.join(' and ')} ${environments.length > 1 ? 'have no common metric' : 'has no metric'}${spec.metric === undefined ? '' : ` ${JSON.stringify(spec.metric)}`}${guess ? `; did you mean ${guess}?` : '.'}`,
      ids.length ? `There are ${ids.join(', ')}.` : 'Sweep environments that share one.',
    );
  }
  const goal = spec.goal ?? (found.better === 'neither' ? undefined : found.better);
  if (!goal)
    throw new SweepError(`${found.id} is neither better high nor low.`, 'Say which with goal: "higher" or "lower".');
  return { id: found.id, model: spec.model, goal };
}

/** Value of the sweep's metric by run key; null if a finished run has none, absent if it is unfinished. */
export type Scores = ReadonlyMap<string, number | null>;

/** A configuration's score on a rung: the mean over seeds; undefined until all are finished, null if one has no value. */
export function scoreOf(runs: readonly PlannedRun[], scores: Scores): number | null | undefined {
  let total = 0;
  let hasNull = false;
  for (const { key } of runs) {
    const score = scores.get(key);
    if (score === undefined) return undefined;
    if (score === null) hasNull = true;
    else total += score;
  }
  return hasNull ? null : total / runs.length;
}

/**
 * By rung: configurations (by index) that are certain to have runs there. A configuration continues as soon as no missing result could exclude
 * it; ties go to the earlier one.
 *
 * `failed`: runs that were set aside after failures; their configuration does not continue.
 */
export function reachedRungs(
  { configurations, quota, metric }: SweepPlan,
  scores: Scores,
  failed: ReadonlySet<string>,
): number[][] {
  const rungs: number[][] = [configurations.map((_, i) => i)];
  const sign = metric.goal === 'higher' ? 1 : -1;
  /** Number of configurations that may still reach the previous rung. */
  let coming = 0;
  for (let rung = 1; rung < quota.length; rung++) {
    const known: { i: number; score: number }[] = [];
    let open = coming;
    for (const i of rungs[rung - 1]) {
      const runs = configurations[i].rungs[rung - 1];
      if (runs.some(({ key }) => failed.has(key))) continue;
      const score = scoreOf(runs, scores);
      if (score === undefined) open++;
      else known.push({ i, score: score === null || Number.isNaN(score) ? Number.NEGATIVE_INFINITY : sign * score });
    }
    known.sort((a, b) => (b.score === a.score ? a.i - b.i : b.score - a.score));
    const up = known.slice(0, Math.max(0, quota[rung] - open)).map(({ i }) => i);
    coming = Math.min(quota[rung], known.length + open) - up.length;
    rungs.push(up.sort((a, b) => a - b));
  }
  return rungs;
}

/** Every run that may be made by now, each key once, in order of rungs. */
export function runsToMake(plan: SweepPlan, scores: Scores, failed: ReadonlySet<string>): PlannedRun[] {
  const runs = new Map<string, PlannedRun>();
  for (const [rung, configurations] of reachedRungs(plan, scores, failed).entries())
    for (const i of configurations)
      for (const run of plan.configurations[i].rungs[rung]) if (!runs.has(run.key)) runs.set(run.key, run);
  return [...runs.values()];
}

/** Number of runs that the plan makes; with halving, by the quota of each rung. */
export function sizeOf({ configurations, quota, spec }: SweepPlan): { runs: number; rollouts: number; shared: number } {
  const rollouts = quota.reduce(
    (sum, count, rung) =>
      sum +
      (count / configurations.length) *
        total(configurations.map(({ rungs }) => total(rungs[rung].map((run) => runCost(run.spec))))),
    0,
  );
  const planned = quota.reduce((sum, count) => sum + count * spec.seeds.length, 0);
  const first = configurations.flatMap(({ rungs }) => rungs[0]);
  const shared = first.length - new Set(first.map(({ key }) => key)).size;
  return { runs: planned - shared, rollouts, shared };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** The metric's value in the final evaluation. A run without a quarantine deploys the trained model. */
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
