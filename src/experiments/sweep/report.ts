// The outcome of a sweep: a table by configuration, the options' main effects, groups, the Pareto front, and the best configuration with a
// correction for being the best of many. Pure functions of finished runs; report-text.ts has the texts.
import { mean, meanInterval, normalCdf, type PairedT, pairedT, sd, signFlip, spearman } from '../../stats/index.ts';
import { bisect } from '../../stats/student-t.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { metricsOf } from '../environments/registry.ts';
import type { RunRecord } from '../records/events.ts';
import {
  type Configuration,
  reachedRungs,
  reportedMetrics,
  type Scores,
  type SweepPlan,
  scoreOfRun,
  sweepMetric,
} from './plan.ts';
import type { AxisOption, AxisValue, SweepSpec } from './spec.ts';
import { INTERIM_STEPS, type Stopped, stoppedRuns, verdictsOf } from './stop.ts';

export interface Summary {
  n: number;
  mean: number;
  /** Null at n = 1; so is the interval. */
  sd: number | null;
  /** 95% t interval of the mean; for a share, on the logit scale. */
  interval: { low: number; high: number } | null;
}

export interface ReportRow {
  configuration: number;
  label: string;
  values: Configuration['values'];
  /** Steps of the configuration's last rung. */
  steps: number;
  seeds: number[];
  /** Whether all seeds are finished and have a value. */
  isComplete: boolean;
  metrics: Record<string, Summary | null>;
  /** Why the sweep's stop rule ended it; absent if it was trained to its end. */
  stopped?: Stopped;
}

interface Effect {
  option: AxisOption;
  /** Summaries by value; where several configurations share one, the mean of their means. */
  levels: { value: AxisValue; summary: Summary }[];
  /** Spearman's rank correlation with the metric over configurations; null for values without an order, and for fewer than three. */
  rank: number | null;
}

interface Best {
  row: ReportRow;
  /** Number of configurations that the best was chosen from. */
  of: number;
  /** Expected distance of the best from the mean if all configurations were equal, estimated only from the spread within
   *  configurations. */
  byChance: number | null;
  /** Comparison with the second, paired by seed. */
  second: { label: string; difference: PairedT | null; p: number } | null;
  /** The same configuration on seeds that were not used for the choice. */
  again: SweepSpec;
}

export interface SweepReport {
  schema: 1;
  name: string;
  metric: SweepPlan['metric'];
  done: number;
  /** Number of runs that are known to be needed by now. */
  planned: number;
  table: ReportRow[];
  effects: Effect[];
  /** Configurations that no other one beats in all of these metrics; null if there is only one metric. */
  pareto: { metrics: { id: string; goal: 'higher' | 'lower' }[]; configurations: number[] } | null;
  best: Best | null;
  notes: string[];
}

/** Null without values. @param isShare whether the metric is a share of rollouts (metric-info.ts) */
function summarise(values: readonly number[], isShare: boolean): Summary | null {
  const centre = mean(values);
  if (centre === null) return null;
  return { n: values.length, mean: centre, sd: sd(values), interval: meanInterval(values, isShare) };
}

/** The metric of one kind of task (`solve:plain`) is a share if the metric itself is. */
function isShareIn({ configurations }: SweepPlan, id: string): boolean {
  const known = metricsOf(configurations[0].rungs[0][0].spec.environment);
  const info = known.find((one) => one.id === id) ?? known.find((one) => one.id === id.split(':')[0]);
  return info?.unit === 'share';
}

type Runs = ReadonlyMap<string, RunRecord>;

/** `interim`: values by run key that a stop rule reads (stop.ts). */
export function reportOf(
  plan: SweepPlan,
  all: Runs,
  failed: ReadonlySet<string>,
  interim: Scores = new Map(),
): SweepReport {
  const verdicts = verdictsOf(plan, interim, failed);
  const stopped = stoppedRuns(plan, verdicts);
  const runs = new Map([...all].filter(([key]) => !stopped.has(key)));
  const scores = new Map([...runs].map(([key, run]) => [key, scoreOfRun(run, plan.metric)]));
  const rungs = reachedRungs(plan, scores, failed);
  const metrics = reportedMetrics(plan);
  const lastRung = plan.configurations.map((_, i) => rungs.findLastIndex((members) => members.includes(i)));
  const table = plan.configurations.map((configuration, i): ReportRow => {
    const row = rowOf(plan, configuration, i, lastRung[i], runs, metrics);
    const verdict = verdicts[i];
    return typeof verdict === 'object' ? { ...row, steps: verdict.step, stopped: verdict } : row;
  });
  const planned = new Set(
    rungs.flatMap((members, rung) => members.flatMap((i) => plan.configurations[i].rungs[rung].map(({ key }) => key))),
  );
  const ranked = rank(plan, table, lastRung);
  return {
    schema: 1,
    name: plan.spec.name,
    metric: plan.metric,
    done: [...planned].filter((key) => runs.has(key) || stopped.has(key)).length,
    planned: planned.size,
    table,
    // Effects are computed on the first rung, which has all configurations; later rungs are selected by the metric itself.
    effects: effectsOf(
      plan,
      plan.configurations.map((configuration, i) => rowOf(plan, configuration, i, 0, runs, metrics)),
    ),
    pareto: paretoOf(plan, ranked, metrics),
    best: bestOf(plan, ranked, lastRung, runs),
    notes: notesOn(plan, table, runs, failed),
  };
}

function rowOf(
  plan: SweepPlan,
  { label, values, rungs }: Configuration,
  configuration: number,
  rung: number,
  runs: Runs,
  metrics: readonly string[],
): ReportRow {
  const { metric } = plan;
  const found = rungs[rung].flatMap(({ key, spec }) => {
    const run = runs.get(key);
    return run ? [{ run, seed: spec.seed }] : [];
  });
  const of = (id: string) =>
    found.map(({ run }) => sweepMetric(run, metric.model, id)).filter((value) => value !== null);
  return {
    configuration,
    label,
    values,
    steps: rungs[rung][0].spec.steps,
    seeds: found.map(({ seed }) => seed),
    isComplete: of(metric.id).length === rungs[rung].length,
    metrics: Object.fromEntries(metrics.map((id) => [id, summarise(of(id), isShareIn(plan, id))])),
  };
}

const signOf = (goal: 'higher' | 'lower'): number => (goal === 'higher' ? 1 : -1);
const meanIn = (row: ReportRow, id: string): number => row.metrics[id]?.mean ?? Number.NaN;

/** Complete configurations of the last reached rung, best first. */
function rank({ metric }: SweepPlan, table: readonly ReportRow[], lastRung: readonly number[]): ReportRow[] {
  const complete = table.filter(({ isComplete }) => isComplete);
  const top = Math.max(-1, ...complete.map(({ configuration }) => lastRung[configuration]));
  const sign = signOf(metric.goal);
  return complete
    .filter(({ configuration }) => lastRung[configuration] === top)
    .sort((a, b) => sign * (meanIn(b, metric.id) - meanIn(a, metric.id)) || a.configuration - b.configuration);
}

function effectsOf(plan: SweepPlan, table: readonly ReportRow[]): Effect[] {
  const { spec, metric } = plan;
  const isShare = isShareIn(plan, metric.id);
  const complete = table.filter(({ isComplete }) => isComplete);
  return spec.axes.map(({ option }) => {
    const byValue = new Map<string, { value: AxisValue; means: number[] }>();
    for (const row of complete) {
      const value = row.values[option] as AxisValue;
      const level = byValue.get(JSON.stringify(value)) ?? { value, means: [] };
      level.means.push(meanIn(row, metric.id));
      byValue.set(JSON.stringify(value), level);
    }
    const levels = [...byValue.values()];
    const isOrdered = levels.every(({ value }) => typeof value === 'number');
    if (isOrdered) levels.sort((a, b) => (a.value as number) - (b.value as number));
    // Drawn values are all different, so only the rank correlation is informative.
    const areShared = levels.length > 1 && levels.length < complete.length;
    return {
      option,
      levels: areShared
        ? levels.map(({ value, means }) => ({ value, summary: summarise(means, isShare) as Summary }))
        : [],
      rank: isOrdered
        ? spearman(
            complete.map(({ values }) => values[option] as number),
            complete.map((row) => meanIn(row, metric.id)),
          )
        : null,
    };
  });
}

function paretoOf(
  { metric, configurations }: SweepPlan,
  rows: readonly ReportRow[],
  ids: readonly string[],
): SweepReport['pareto'] {
  const known = metricsOf(configurations[0].rungs[0][0].spec.environment);
  const metrics = ids.flatMap((id): { id: string; goal: 'higher' | 'lower' }[] => {
    if (id === metric.id) return [{ id, goal: metric.goal }];
    const better = known.find((info) => info.id === id)?.better ?? 'neither';
    return better === 'neither' ? [] : [{ id, goal: better }];
  });
  const compared = rows.filter((row) => metrics.every(({ id }) => row.metrics[id]));
  if (metrics.length < 2 || compared.length === 0) return null;
  const gain = (a: ReportRow, b: ReportRow) =>
    metrics.map(({ id, goal }) => signOf(goal) * (meanIn(a, id) - meanIn(b, id)));
  const beats = (a: ReportRow, b: ReportRow) => gain(a, b).every((x) => x >= 0) && gain(a, b).some((x) => x > 0);
  const front = compared.filter((row) => !compared.some((other) => beats(other, row)));
  return { metrics, configurations: front.map(({ configuration }) => configuration).sort((a, b) => a - b) };
}

/** Mean of the largest of n standard normal numbers, after Blom (1958): within 0.03 for n up to 10,000. */
export function expectedLargest(n: number): number {
  if (n < 2) return 0;
  const p = (n - 0.375) / (n + 0.25);
  return bisect(0, 10, (x) => normalCdf(x) < p);
}

function bestOf(plan: SweepPlan, ranked: readonly ReportRow[], lastRung: readonly number[], runs: Runs): Best | null {
  const [row, next] = ranked;
  if (!row) return null;
  const { metric } = plan;
  const spreads = ranked.map((other) => other.metrics[metric.id]?.sd).filter((spread) => typeof spread === 'number');
  const variance = mean(spreads.map((spread) => spread ** 2));
  const byChance = variance === null ? null : Math.sqrt(variance / row.seeds.length) * expectedLargest(ranked.length);
  const valuesOf = ({ configuration }: ReportRow) =>
    plan.configurations[configuration].rungs[lastRung[configuration]].map(
      ({ key }) => scoreOfRun(runs.get(key) as RunRecord, metric) as number,
    );
  const differences = next ? valuesOf(row).map((value, i) => value - valuesOf(next)[i]) : [];
  return {
    row,
    of: plan.configurations.length,
    byChance,
    second: next ? { label: next.label, difference: pairedT(differences), p: signFlip(differences).p } : null,
    again: repeatSweepOf(plan, row),
  };
}

/** A sweep of one configuration: one axis with a single value, the other values shared by all runs. */
function repeatSweepOf({ spec, metric }: SweepPlan, { values }: ReportRow): SweepSpec {
  const [first, ...others] = spec.axes.map(({ option }) => option);
  const shared = Object.fromEntries(
    others.filter((option) => option !== 'arm').map((option) => [option, values[option] as AxisValue]),
  );
  const arm = first === 'arm' ? undefined : ((values.arm ?? spec.arm) as SweepSpec['arm']);
  const after = Math.max(...spec.seeds) + 1;
  const { axes: _, arm: __, search: ___, constraints: ____, stop: _____, ...rest } = spec;
  return {
    ...rest,
    name: `${spec.name || 'sweep'}: the best again on fresh seeds`,
    ...(arm === undefined ? {} : { arm }),
    overrides: { ...spec.overrides, ...shared },
    axes: [{ option: first, values: [values[first] as AxisValue] }],
    constraints: [],
    seeds: spec.seeds.map((_, i) => after + i),
    search: { kind: 'grid' },
    metric: metric.id,
    goal: metric.goal,
  };
}

export interface Group {
  values: Record<string, unknown>;
  metrics: Record<string, Summary | null>;
}

/** Runs of the last rungs, grouped by any of their options (also `seed` and `arm`), across configurations. */
export function groupsOf(plan: SweepPlan, runs: Runs, by: readonly (keyof RunSpec)[]): Group[] {
  const metrics = reportedMetrics(plan);
  const last = new Map<string, RunRecord>();
  for (const { rungs } of plan.configurations)
    for (const { key } of rungs.findLast((rung) => rung.every((run) => runs.has(run.key))) ?? [])
      last.set(key, runs.get(key) as RunRecord);
  const groups = new Map<string, { values: Record<string, unknown>; runs: RunRecord[] }>();
  for (const run of last.values()) {
    const values = Object.fromEntries(by.map((name) => [name, run.spec[name]]));
    const group = groups.get(JSON.stringify(values)) ?? { values, runs: [] };
    group.runs.push(run);
    groups.set(JSON.stringify(values), group);
  }
  return [...groups.values()].map(({ values, runs: members }) => ({
    values,
    metrics: Object.fromEntries(
      metrics.map((id) => [
        id,
        summarise(
          members.map((run) => sweepMetric(run, plan.metric.model, id)).filter((value) => value !== null),
          isShareIn(plan, id),
        ),
      ]),
    ),
  }));
}

function stopNotes({ stop }: SweepSpec, table: readonly ReportRow[], { id }: SweepPlan['metric']): string[] {
  if (!stop) return [];
  const stopped = table.filter((row) => row.stopped).length;
  const from = Math.max(1, stop.after - INTERIM_STEPS + 1);
  const rule = `The sweep’s file has a stop rule, and had it before the first run: a configuration goes no further than step ${stop.after} if its ${id} in training, the mean of steps ${from} to ${stop.after} and of the seeds, is worse than the median of all configurations’.`;
  return [
    `${rule} ${stopped} of ${table.length} configurations were stopped so; they are ranked below all that went on.`,
    ...(stopped > 0 ? ['Main effects are means over the configurations that went on, which the rule has chosen.'] : []),
  ];
}

function notesOn(
  { spec, quota, metric }: SweepPlan,
  table: readonly ReportRow[],
  runs: Runs,
  failed: ReadonlySet<string>,
): string[] {
  const different = (of: (run: RunRecord) => string) => [...new Set([...runs.values()].map(of))].sort();
  const devices = different(({ device }) => device);
  const graders = different(({ graderVersion }) => graderVersion);
  const incomplete = table.filter(({ isComplete, stopped }) => !isComplete && !stopped).length;
  return [
    ...(devices.length > 1
      ? [
          `Runs were made on devices of several kinds (${devices.join('; ')}), which round differently: they are compared as if they were of one.`,
        ]
      : []),
    ...(graders.length > 1 ? [`Runs were judged by several versions of the grader (${graders.join('; ')}).`] : []),
    ...stopNotes(spec, table, metric),
    ...(incomplete > 0
      ? [`${incomplete} of ${table.length} configurations lack a seed, or a figure, and are not ranked.`]
      : []),
    // The wording holds for a tab, which tries a run three times, and for a folder with three workers.
    ...(failed.size > 0
      ? [`${failed.size} ${failed.size === 1 ? 'run was' : 'runs were'} set apart after three or more failures.`]
      : []),
    ...(spec.seeds.length < 2
      ? ['One seed has no spread: there are no intervals, and a difference may be the seed’s.']
      : []),
    ...(quota.length > 1
      ? [
          'Configurations that stopped at an earlier rung are shown with the steps that they had; rungs are not comparable.',
        ]
      : []),
    ...(spec.constraints.length > 0 || spec.search.kind !== 'grid'
      ? ['Main effects are means over the configurations there are: drawn or constrained ones are not balanced.']
      : []),
  ];
}
