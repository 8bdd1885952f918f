// Turns the runs of an experiment into the data of one chart: points on a common axis and the lines through them. Smoothing comes before
// down-sampling. Lines of one arm share its colour. Seeds are drawn faintly behind their mean and its 95% t interval.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { armLabel, nameOf } from '../../experiments/analysis/names.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import type { EvalRow } from '../../experiments/records/events.ts';
import { finalRow } from '../../experiments/records/metrics.ts';
import { groupedBy } from '../../lib/grouped.ts';
import { FEWEST_FOR_INTERVAL, type Interval, meanInterval } from '../../stats/index.ts';
import { type ArmStyle, armStyle } from '../runs/arm-style.ts';
import { type AxisName, armAxis } from './axis.ts';
import { hasDeployed, trainingLooks } from './looks.ts';
import type { Metric } from './metrics.ts';
import type { ChartRow, ChartRun } from './run.ts';
import { debiasedEma, meanOf, pickIndices } from './smoothing.ts';

/** Maximum number of points of a line, since a chart has no more pixels. */
export const POINT_LIMIT = 600;

export type LineKind =
  /** Per-step values of a single seed, unsmoothed. */
  | 'raw'
  /** One of several seeds, smoothed. */
  | 'seed'
  /** The main line: one smoothed seed, or the mean of the smoothed seeds. */
  | 'main'
  /** Evaluations during training: of the deployed model, or of a metric that training rollouts do not measure. */
  | 'evaluated';

export interface ChartLine {
  key: string;
  kind: LineKind;
  /** Id of its legend entry. */
  legend: string;
  style: ArmStyle;
  /** Seeds in the mean, or the line's single seed. */
  seeds: number[];
  /** Keys of the lower and upper end of the mean's 95% t interval; null with fewer than three seeds. */
  band: readonly [low: string, high: string] | null;
}

export interface LegendItem {
  id: string;
  label: string;
  style: ArmStyle;
  /** Number of seeds, samples or runs drawn. */
  n?: number;
  /** The row's number in the table beside the chart. */
  number?: number;
}

export interface LegendEntry extends LegendItem {
  deployed: boolean;
  /** Number of seeds drawn. */
  n: number;
}

/** A line over steps or over another x. */
export interface StepLine extends LegendItem {
  n: number;
  points: { x: number; y: number }[];
}

export type ChartPoint = { x: number } & Record<string, number | null>;

/** Positions of a run's steps on the chart, used to map a point of the chart back to a step. */
interface RunTrack {
  runId: string;
  label: string;
  /** Key of the deployed model's line, if there is one. Pointing at it selects the run. */
  deployedKey: string | null;
  /** y is the drawn (smoothed) value; null if nothing was measured. */
  points: { x: number; step: number; y: number | null }[];
}

export interface ChartData {
  points: ChartPoint[];
  lines: ChartLine[];
  tracks: RunTrack[];
  /** Level of a random gradient (the mean over the logged rows), or null. */
  nullLevel: number | null;
  /** Level of the untrained base in evaluations (the final ones, if there are any), or null. */
  baseLevel: number | null;
  /** Last drawn value by legend entry. */
  latest: Record<string, number | null>;
  /** Final evaluation by legend entry, if all seeds of the entry have ended. */
  finals: Record<string, Final>;
}

/** A final evaluation: the mean over seeds, with its 95% t interval from three seeds on. */
export interface Final {
  mean: number;
  interval: Interval | null;
}

interface ChartOptions {
  x?: AxisName;
  /** Drops values that a logarithmic axis cannot show, that is, zero and below. */
  log?: boolean;
}

/** The arms of an experiment in their own order, each with its runs. */
export const runsByArm = <R extends { spec: Pick<RunSpec, 'arm'> }>(runs: readonly R[]): Map<string, R[]> =>
  groupedBy(runs, ({ spec }) => spec.arm);

/** The legend that all charts of an experiment share. */
export function legendOf(runs: readonly ChartRun[]): LegendEntry[] {
  const arms = runsByArm(runs);
  const lookOf = trainingLooks(arms);
  return [...arms].flatMap(([arm, list]) => {
    const drawn = list.filter((run) => run.rows.length > 0 || run.evals.length > 0);
    if (drawn.length === 0) return [];
    const entries: LegendEntry[] = [{ id: arm, ...lookOf(arm), deployed: false, n: drawn.length }];
    if (hasDeployed(drawn[0])) {
      const label = nameOf(arm, 'deployed', []);
      entries.push({ id: `${arm}:deployed`, label, style: armStyle(arm), deployed: true, n: drawn.length });
    }
    return entries;
  });
}

/** @param beta weight of the past in the smoothing, 0 for no smoothing. */
export function chartData(
  runs: readonly ChartRun[],
  metric: Metric,
  beta: number,
  { x: axis = 'step', log = false }: ChartOptions = {},
): ChartData {
  const points = new Map<number, ChartPoint>();
  const put = (x: number, key: string, y: number | null) => {
    let point = points.get(x);
    if (!point) {
      point = { x } as ChartPoint;
      points.set(x, point);
    }
    point[key] = log && y !== null && y <= 0 ? null : y;
  };
  const faint: ChartLine[] = [];
  const main: ChartLine[] = [];
  const tracks: RunTrack[] = [];
  const latest: ChartData['latest'] = {};
  const finals: ChartData['finals'] = {};
  const arms = runsByArm(runs);
  const lookOf = trainingLooks(arms);
  // On the step axis all arms share their points. On the other axes each arm has its own points.
  const limit = axis === 'step' ? POINT_LIMIT : Math.max(100, Math.floor(POINT_LIMIT / arms.size));

  for (const [arm, all] of arms) {
    const { style } = lookOf(arm);
    const measuring = metric.applies ? all.filter(metric.applies) : all;
    const isMeasured = measuring.some(({ rows }) => rows.some((row) => metric.value(row) !== null));
    // A metric that training rollouts do not measure is drawn from evaluations during training, as in the published demo.
    const evaluated = !isMeasured && metric.evaluated ? evaluatedValues(all, metric, 'total') : null;
    const shownByEvals = evaluated && evaluated.size > 0 ? evaluated : null;
    const list = shownByEvals ? all : measuring;
    if (list.length === 0) continue;
    const deployed = metric.evaluated && hasDeployed(list[0]) ? evaluatedValues(list, metric, 'deployed') : null;
    const place = armAxis(list, axis);
    const smoothed = list.map((run) => smooth(run.rows, metric, beta));
    // Steps before a fork belong to its parent, and are drawn as the parent's.
    const from = Math.min(...list.map(({ spec }) => spec.fork?.step ?? 0));
    const kept = keptSteps(list, [...(deployed?.keys() ?? []), ...(shownByEvals?.keys() ?? [])], limit).filter(
      (step) => step >= from,
    );
    const drawn = kept.filter((step) => smoothed.some((series) => series.has(step)));
    const seeds = list.filter((run) => run.rows.length > 0).map((run) => run.spec.seed);

    list.forEach((run, i) => {
      const own = drawn.filter((step) => smoothed[i].has(step));
      const values = own.map((step) => ({ x: place(step), step, y: smoothed[i].get(step)! }));
      const label = `${armLabel(arm)}, seed ${run.spec.seed}`;
      tracks.push({ runId: run.id, label, deployedKey: deployed ? `${arm}:deployed` : null, points: values });
      const single = list.length === 1;
      if ((single && beta === 0) || shownByEvals) return;
      const key = `${arm}/${run.spec.seed}`;
      faint.push({ key, kind: single ? 'raw' : 'seed', legend: arm, style, seeds: [run.spec.seed], band: null });
      const raw = single ? new Map(run.rows.map((row) => [row.step, metric.value(row)])) : null;
      for (const { x, step, y } of values) put(x, key, raw ? raw.get(step)! : y);
    });
    const end = (key: string, model: 'total' | 'deployed') => {
      const final = finalOf(all, metric, model);
      if (final) setOwn(finals, key, final);
    };
    end(arm, 'total');
    const draw = (key: string, kind: LineKind, look: ArmStyle, steps: number[], at: (step: number) => Values) => {
      const band = list.length >= FEWEST_FOR_INTERVAL ? ([`${key} from`, `${key} to`] as const) : null;
      for (const step of steps) {
        const values = at(step);
        const mean = meanOf(values);
        put(place(step), key, mean);
        const known = values.filter((y): y is number => typeof y === 'number');
        if (!band || mean === null || known.length < FEWEST_FOR_INTERVAL) continue;
        const { low, high } = intervalOf(known, metric) ?? { low: mean, high: mean };
        put(place(step), band[0], low);
        put(place(step), band[1], high);
      }
      setOwn(
        latest,
        key,
        lastOf(steps, (step) => points.get(place(step))?.[key]),
      );
      main.push({ key, kind, legend: key, style: look, seeds, band });
    };
    if (shownByEvals) {
      const steps = kept.filter((step) => shownByEvals.has(step));
      draw(arm, 'evaluated', style, steps, (step) => shownByEvals.get(step)!);
    } else draw(arm, 'main', style, drawn, (step) => smoothed.map((series) => series.get(step)));
    if (deployed) {
      const steps = kept.filter((step) => deployed.has(step));
      draw(`${arm}:deployed`, 'evaluated', armStyle(arm), steps, (step) => deployed.get(step)!);
      end(`${arm}:deployed`, 'deployed');
    }
  }
  return {
    points: [...points.values()].sort((a, b) => a.x - b.x),
    lines: [...faint, ...main],
    tracks,
    nullLevel: metric.nullLine ? meanOf(runs.flatMap((run) => run.rows.map(metric.nullLine!))) : null,
    baseLevel: baseLevel(runs, metric),
    latest,
    finals,
  };
}

/** Null until all seeds have ended, and for a metric that evaluations do not include. */
export function finalOf(
  runs: readonly Pick<ChartRun, 'evals'>[],
  metric: Metric,
  model: 'total' | 'deployed',
): Final | null {
  const values = runs.map((run) => {
    const row = metric.evaluated ? finalRow(run, model) : null;
    return row && metric.evaluated!(row.all);
  });
  const known = values.filter((value) => value !== null);
  const mean = meanOf(known);
  if (mean === null || known.length < values.length) return null;
  return { mean, interval: known.length < FEWEST_FOR_INTERVAL ? null : intervalOf(known, metric) };
}

/** Null if all seeds have the same share of 0 or 1. */
function intervalOf(known: readonly number[], metric: Metric): Interval | null {
  const isShare = metric.format === 'share' && known.every((y) => y >= 0 && y <= 1);
  return meanInterval(known, isShare);
}

type Values = readonly (number | null | undefined)[];

function smooth(rows: readonly ChartRow[], metric: Metric, beta: number): Map<number, number | null> {
  const values = debiasedEma(rows.map(metric.value), beta);
  return new Map(rows.map((row, i) => [row.step, values[i]]));
}

/** A model's evaluations during the run by step: one value for each seed that has reached the step. */
function evaluatedValues(
  runs: readonly ChartRun[],
  metric: Metric,
  model: 'deployed' | 'total',
): Map<number, (number | null)[]> {
  const byStep = new Map<number, (number | null)[]>();
  const isOf = (row: EvalRow) => row.kind === 'during' && row.model === model;
  for (const row of runs.flatMap((run) => run.evals).filter(isOf)) {
    byStep.set(row.step, [...(byStep.get(row.step) ?? []), metric.evaluated!(row.all)]);
  }
  return new Map([...byStep].sort(([a], [b]) => a - b));
}

/** Mean over evaluations of the untrained base: the final ones, as in headline and table, or those at step 0 until the final ones exist. */
function baseLevel(runs: readonly ChartRun[], metric: Metric): number | null {
  if (!metric.evaluated) return null;
  const rows = runs.flatMap((run) => run.evals).filter((row) => row.step === 0 || row.model === 'base');
  const final = rows.filter((row) => row.kind === 'final');
  return meanOf((final.length > 0 ? final : rows).map((row) => metric.evaluated!(row.all)));
}

function lastOf(steps: readonly number[], at: (step: number) => number | null | undefined): number | null {
  for (let i = steps.length - 1; i >= 0; i--) {
    const y = at(steps[i]);
    if (y !== null && y !== undefined) return y;
  }
  return null;
}

/** At most `limit` steps, including all evaluated ones: evaluations are few, and each represents dozens of rollouts. */
function keptSteps(runs: readonly ChartRun[], evaluated: readonly number[], limit: number): number[] {
  const steps = [...new Set([...runs.flatMap((run) => run.rows.map((row) => row.step)), ...evaluated])].sort(
    (a, b) => a - b,
  );
  if (steps.length <= limit) return steps;
  const keep = new Set(evaluated);
  for (const i of pickIndices(steps.length, Math.max(2, limit - keep.size))) keep.add(steps[i]);
  return steps.filter((step) => keep.has(step));
}

/** The point at which a line is read: its point at x, or the last one before x (on an axis of tokens each arm has points of its own). */
export function pointAt(data: ChartData, key: string, x: number): ChartPoint | null {
  for (let i = data.points.length - 1; i >= 0; i--) {
    const point = data.points[i];
    if (point.x <= x && typeof point[key] === 'number') return point;
  }
  return null;
}

interface PointedAt {
  runId: string;
  step: number;
  label: string;
}

/** For each run, the drawn step nearest to x, with its drawn values. Runs without a point are omitted. */
export function stepsAt(data: ChartData, x: number): (PointedAt & { values: number[] })[] {
  return data.tracks.flatMap(({ runId, label, deployedKey, points }) => {
    let best = points[0];
    if (!best) return [];
    for (const point of points) if (Math.abs(point.x - x) < Math.abs(best.x - x)) best = point;
    const values = [best.y, deployedKey ? (pointAt(data, deployedKey, x)?.[deployedKey] ?? null) : null];
    return [{ runId, label, step: best.step, values: values.filter((y) => y !== null) }];
  });
}

/** The run whose line passes nearest to the pointer. `distance` measures on the screen, so that it is also right on a logarithmic axis. */
export function runAt(data: ChartData, x: number, distance: (y: number) => number): PointedAt | null {
  let best: PointedAt | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const { values, ...pointed } of stepsAt(data, x)) {
    const far = Math.min(Number.MAX_VALUE, ...values.map(distance));
    if (far < least) {
      best = pointed;
      least = far;
    }
  }
  return best;
}
