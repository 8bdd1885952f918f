// From the runs of an experiment to what one chart draws: points on a common step axis and the lines through them.
// Smoothing comes before down-sampling. Lines of one arm share its colour; seeds are faint behind their mean.
import type { EvalRow, RunRecord, StepRow } from '../experiments/events.ts';
import { ARMS } from '../experiments/spec.ts';
import { type ArmStyle, armStyle } from './arm-style.ts';
import type { Metric } from './metrics.ts';
import { debiasedEma, meanOf, pickIndices } from './smoothing.ts';

/** Most points of a line; more than this is more than the pixels of a chart. */
export const POINT_LIMIT = 600;

export type LineKind =
  /** Per-step values of a single seed, unsmoothed. */
  | 'raw'
  /** One seed of several, smoothed. */
  | 'seed'
  /** What to read: the smoothed line, or its mean over seeds. */
  | 'main'
  /** Evaluations of the deployed model. */
  | 'deployed';

export interface ChartLine {
  key: string;
  kind: LineKind;
  /** Which entry of the legend it belongs to. */
  legend: string;
  style: ArmStyle;
}

export interface LegendEntry {
  id: string;
  label: string;
  style: ArmStyle;
  deployed: boolean;
  /** Seeds drawn. */
  n: number;
}

export type ChartPoint = { x: number } & Record<string, number | null>;

export interface ChartData {
  points: ChartPoint[];
  lines: ChartLine[];
  /** Level of a random gradient (mean over what was logged), or null. */
  nullLevel: number | null;
  /** The untrained base in the evaluation during the run, or null. */
  baseLevel: number | null;
  /** Last shown value of each legend entry. */
  latest: Record<string, number | null>;
}

/** The arms of an experiment in their own order, each with its runs. */
export function runsByArm(runs: readonly RunRecord[]): Map<string, RunRecord[]> {
  const arms = new Map<string, RunRecord[]>();
  for (const run of runs) {
    const list = arms.get(run.spec.arm);
    if (list) list.push(run);
    else arms.set(run.spec.arm, [run]);
  }
  return arms;
}

/** Under route the deployed model is another than the one in training, and has a line of its own. */
const hasDeployed = (run: RunRecord) => run.spec.projection === 'route';

/**
 * How an arm's training line is called and drawn. Under route/update training *is* vanilla, byte for byte: where vanilla
 * itself is not among the arms, the line stands for it, in vanilla's colour.
 */
function trainingLook(run: RunRecord, arms: ReadonlyMap<string, RunRecord[]>): { label: string; style: ArmStyle } {
  const { arm } = run.spec;
  if (arm === 'route-update' && !arms.has('none')) {
    return { label: `${ARMS.none.label} (= ${ARMS[arm].label} in training)`, style: armStyle('none') };
  }
  const label = ARMS[arm]?.label ?? arm;
  const style = armStyle(arm);
  // The deployed model's line has the arm's own dash and marker; the one in training goes plain beside it.
  return hasDeployed(run)
    ? { label: `${label}, in training`, style: { ...style, dash: undefined, marker: 'circle' } }
    : { label, style };
}

/** The legend that all charts of an experiment share. */
export function legendOf(runs: readonly RunRecord[]): LegendEntry[] {
  const arms = runsByArm(runs);
  return [...arms].flatMap(([arm, list]) => {
    const drawn = list.filter((run) => run.rows.length > 0 || run.evals.length > 0);
    if (drawn.length === 0) return [];
    const look = trainingLook(drawn[0], arms);
    const entries: LegendEntry[] = [{ id: arm, ...look, deployed: false, n: drawn.length }];
    if (hasDeployed(drawn[0])) {
      const label = `${ARMS[drawn[0].spec.arm]?.label ?? arm}, deployed`;
      entries.push({ id: `${arm}:deployed`, label, style: armStyle(arm), deployed: true, n: drawn.length });
    }
    return entries;
  });
}

/** @param beta weight of the past in the smoothing, 0 for none. */
export function chartData(runs: readonly RunRecord[], metric: Metric, beta: number): ChartData {
  const points = new Map<number, ChartPoint>();
  const put = (x: number, key: string, y: number | null) => {
    let point = points.get(x);
    if (!point) {
      point = { x } as ChartPoint;
      points.set(x, point);
    }
    point[key] = y;
  };
  const faint: ChartLine[] = [];
  const main: ChartLine[] = [];
  const latest: Record<string, number | null> = {};
  const arms = runsByArm(runs);

  for (const [arm, list] of arms) {
    const { style } = trainingLook(list[0], arms);
    const smoothed = list.map((run) => smooth(run.rows, metric, beta));
    list.forEach((run, i) => {
      const single = list.length === 1;
      if (single && beta === 0) return;
      const key = `${arm}/${run.spec.seed}`;
      faint.push({ key, kind: single ? 'raw' : 'seed', legend: arm, style });
      for (const row of run.rows) put(row.step, key, single ? metric.value(row) : smoothed[i].get(row.step)!);
    });
    const steps = [...new Set(list.flatMap((run) => run.rows.map((row) => row.step)))].sort((a, b) => a - b);
    for (const step of steps) put(step, arm, meanOf(smoothed.map((series) => series.get(step))));
    latest[arm] = lastOf(steps, (step) => points.get(step)?.[arm]);
    main.push({ key: arm, kind: 'main', legend: arm, style });

    if (metric.evaluated && hasDeployed(list[0])) {
      const key = `${arm}:deployed`;
      const taken = deployedPoints(list, metric);
      for (const [step, y] of taken) put(step, key, y);
      latest[key] = lastOf([...taken.keys()], (step) => taken.get(step));
      main.push({ key, kind: 'deployed', legend: key, style: armStyle(arm) });
    }
  }
  const sorted = [...points.values()].sort((a, b) => a.x - b.x);
  return {
    points: thin(sorted, main),
    lines: [...faint, ...main],
    nullLevel: nullLevel(runs, metric),
    baseLevel: baseLevel(runs, metric),
    latest,
  };
}

function smooth(rows: readonly StepRow[], metric: Metric, beta: number): Map<number, number | null> {
  const values = debiasedEma(rows.map(metric.value), beta);
  return new Map(rows.map((row, i) => [row.step, values[i]]));
}

/** Mean over seeds of the deployed model's evaluations during the run, by step. */
function deployedPoints(runs: readonly RunRecord[], metric: Metric): Map<number, number | null> {
  const byStep = new Map<number, (number | null)[]>();
  const isDeployed = (row: EvalRow) => row.kind === 'during' && row.model === 'deployed';
  for (const row of runs.flatMap((run) => run.evals).filter(isDeployed)) {
    byStep.set(row.step, [...(byStep.get(row.step) ?? []), metric.evaluated!(row.all)]);
  }
  return new Map([...byStep].sort(([a], [b]) => a - b).map(([step, values]) => [step, meanOf(values)]));
}

function nullLevel(runs: readonly RunRecord[], metric: Metric): number | null {
  return metric.nullLine ? meanOf(runs.flatMap((run) => run.rows.map(metric.nullLine!))) : null;
}

/** Every model's evaluation at step 0 is the base's; so is a row that says so. */
function baseLevel(runs: readonly RunRecord[], metric: Metric): number | null {
  if (!metric.evaluated) return null;
  const rows = runs.flatMap((run) => run.evals).filter((row) => row.step === 0 || row.model === 'base');
  const during = rows.filter((row) => row.kind === 'during');
  return meanOf((during.length > 0 ? during : rows).map((row) => metric.evaluated!(row.all)));
}

function lastOf(steps: readonly number[], at: (step: number) => number | null | undefined): number | null {
  for (let i = steps.length - 1; i >= 0; i--) {
    const y = at(steps[i]);
    if (y !== null && y !== undefined) return y;
  }
  return null;
}

/** At most POINT_LIMIT points, and every evaluation among them: those are few, and each stands for dozens of rollouts. */
function thin(points: ChartPoint[], main: readonly ChartLine[]): ChartPoint[] {
  const rare = main.filter((line) => line.kind === 'deployed').map((line) => line.key);
  const keep = new Set(points.flatMap((point, i) => (rare.some((key) => point[key] !== undefined) ? [i] : [])));
  for (const i of pickIndices(points.length, Math.max(2, POINT_LIMIT - keep.size))) keep.add(i);
  return keep.size === points.length ? points : points.filter((_, i) => keep.has(i));
}
