// Data of the probe's charts, and the same as CSV: the cosines at each step, the cosine of every sample against its length, and the mean of
// every module. Pure functions.
import type { ProbeReport, SampleRow } from '../../../experiments/kinds/probe/types.ts';
import { toCsv } from '../../../lib/csv.ts';
import type { SharedProbe } from '../../../share/shared-probe.ts';
import type { LegendItem, StepLine } from '../../charts/data.ts';
import { type ArmStyle, styleOf } from '../../runs/arm-style.ts';

/** A sample's bucket. In T4 a sample without the exploit belongs to neither group. */
export type Bucket = 'pure' | 'solves' | 'none';

const BUCKETS: readonly { id: Bucket; label: string; style: ArmStyle }[] = [
  { id: 'pure', label: 'non-solving hack', style: styleOf('vermillion', undefined, 'circle') },
  { id: 'solves', label: 'solving hack', style: styleOf('blue', undefined, 'triangle') },
  { id: 'none', label: 'no exploit found', style: styleOf('grey', undefined, 'cross') },
];
const REPLAYS = [
  { id: 'vanilla', label: 'vanilla', style: styleOf('vermillion', undefined, 'circle') },
  { id: 'projected', label: 'projected', style: styleOf('blue', '7 3', 'square') },
] as const;

export const bucketOf = ({ structural, gt_pass }: Pick<SampleRow, 'structural' | 'gt_pass'>): Bucket =>
  !structural || gt_pass === null ? 'none' : gt_pass ? 'solves' : 'pure';

/** Points of values by step, counted from 1. A step without a value has no point. */
export const pointsOf = (values: readonly (number | null)[]): StepLine['points'] =>
  values.flatMap((y, i) => (y === null ? [] : [{ x: i + 1, y }]));

/** Mean cos_S_contrib of each step's samples. A step without samples has no point. */
export function stepLines(report: Pick<ProbeReport, 'vanilla' | 'projected'>): StepLine[] {
  return REPLAYS.map((replay) => {
    const points = report[replay.id].flatMap(({ step, cos }) => (cos === null ? [] : [{ x: step, y: cos }]));
    return { ...replay, n: report[replay.id].reduce((sum, { samples }) => sum + samples, 0), points };
  });
}

/** Lines of results that came with a link. */
export const sharedLines = ({ cos, samples }: Pick<SharedProbe, 'cos' | 'samples'>): StepLine[] =>
  REPLAYS.map((replay) => ({ ...replay, n: samples, points: pointsOf(cos[replay.id]) }));

export const sharedScatter = ({ rows }: Pick<SharedProbe, 'rows'>): { points: ScatterPoint[]; legend: LegendItem[] } =>
  withLegend(
    rows.flatMap(({ bucket, tokens, cos }) => (cos === null ? [] : [{ bucket, x: tokens, y: cos, label: '' }])),
  );

export interface ScatterPoint {
  bucket: Bucket;
  x: number;
  y: number;
  /** Text before the point's values; empty if its step is unknown. */
  label: string;
}

export function scatter(rows: readonly SampleRow[]): { points: ScatterPoint[]; legend: LegendItem[] } {
  const points = rows.flatMap((row) => {
    const { cos_S_contrib: y, n_tokens: x, step, problem } = row;
    return y === null ? [] : [{ bucket: bucketOf(row), x, y, label: `step ${step}, ${problem}: ` }];
  });
  return withLegend(points);
}

function withLegend(points: ScatterPoint[]): { points: ScatterPoint[]; legend: LegendItem[] } {
  const legend = BUCKETS.map((bucket) => ({
    ...bucket,
    n: points.filter((point) => point.bucket === bucket.id).length,
  }));
  return { points, legend: legend.filter(({ n }) => n > 0) };
}

interface ModuleCell {
  name: string;
  /** Mean cosine of the samples that have a cosine. */
  mean: number | null;
  n: number;
}

interface ModuleMap {
  /** Kinds of Linear, in the model's order. */
  columns: string[];
  rows: { label: string; cells: (ModuleCell | null)[] }[];
  /** The largest |mean|. */
  most: number;
}

/** Null if rows lack modules. If `bucket` is given, only its samples are used. */
export function moduleMap(rows: readonly SampleRow[], bucket: Bucket | 'all'): ModuleMap | null {
  const chosen = rows.filter((row) => row.modules && (bucket === 'all' || bucketOf(row) === bucket));
  const sums = new Map<string, { sum: number; n: number }>();
  for (const row of rows) for (const name of Object.keys(row.modules ?? {})) sums.set(name, { sum: 0, n: 0 });
  if (sums.size === 0) return null;
  for (const { modules = {} } of chosen)
    for (const [name, cos] of Object.entries(modules)) {
      const entry = sums.get(name);
      if (cos === null || !entry) continue;
      entry.sum += cos;
      entry.n++;
    }
  const layers = new Map<string, Map<string, ModuleCell>>();
  const columns: string[] = [];
  for (const [name, { sum, n }] of sums) {
    const layer = /\.(\d+)\./.exec(name)?.[1] ?? '';
    const column = name.slice(name.lastIndexOf('.') + 1);
    if (!columns.includes(column)) columns.push(column);
    const cells = layers.get(layer) ?? new Map<string, ModuleCell>();
    layers.set(layer, cells.set(column, { name, mean: n > 0 ? sum / n : null, n }));
  }
  const means = [...layers.values()].flatMap((cells) => [...cells.values()].flatMap(({ mean }) => mean ?? []));
  return {
    columns,
    rows: [...layers].map(([label, cells]) => ({ label, cells: columns.map((column) => cells.get(column) ?? null) })),
    most: Math.max(0, ...means.map(Math.abs)),
  };
}

export function stepsCsv({ vanilla, projected }: Pick<ProbeReport, 'vanilla' | 'projected'>): string {
  const figures = ['cos', 'cosIn', 'cosOut', 'cosOutUpdate', 'fired', 'nll', 'gradNorm'] as const;
  return toCsv(
    ['step', 'problem', 'samples', 'tokens', ...REPLAYS.flatMap(({ id }) => figures.map((name) => `${id}_${name}`))],
    vanilla.map((step, i) => [
      ...[step.step, step.problem, step.samples, step.tokens],
      ...[step, projected[i]].flatMap((of) => figures.map((name) => of?.[name])),
    ]),
  );
}

export function samplesCsv(rows: readonly SampleRow[]): string {
  const names = [
    'step',
    'sample',
    'problem',
    'n_tokens',
    'nll',
    'cos_S_contrib',
    'cos_normalised',
    'cos_grpo',
  ] as const;
  return toCsv(
    [...names, 'exploited', 'gt_pass', 'structural', 'bucket'],
    rows.map((row) => [
      ...names.map((name) => row[name]),
      ...[row.exploited, row.gt_pass, row.structural].map(String),
      bucketOf(row),
    ]),
  );
}

export function modulesCsv(map: ModuleMap): string {
  const cells = map.rows.flatMap((row) => row.cells.flatMap((cell) => cell ?? []));
  return toCsv(
    ['module', 'mean_cos', 'samples'],
    cells.map(({ name, mean, n }) => [name, mean, n]),
  );
}
