// The charts: the value that each one draws from a step's row, its value axis, and the sentence below its title that explains how to read
// it. Formula, range and caveats are in glossary.ts.

import { type MetricInfo, wordsOf } from '../../environments/metric-info.ts';
import type { LoadableEnvironment } from '../../experiments/environments/definition.ts';
import { findEnvironment } from '../../experiments/environments/registry.ts';
import type { Measure, MeasureChart } from '../../experiments/records/measure.ts';
import { MEASURES, type MeasureName, OCCASIONAL_MEASURES } from '../../experiments/records/measures.ts';
import { metricValue, type Rates } from '../../experiments/records/metrics.ts';
import type { GlossaryEntry } from '../../lib/option.ts';
import type { ChartRow, ChartRun } from './run.ts';

export interface Metric {
  id: string;
  title: string;
  /** Words behind the question mark; if absent, the glossary's entry with this id. */
  words?: GlossaryEntry;
  /** One line for a user who sees the chart for the first time. */
  about: string;
  value(row: ChartRow): number | null;
  /** The same quantity in an evaluation of the deployed model, if there is one. */
  evaluated?(rates: Rates): number | null;
  /** The value of a random gradient. */
  nullLine?(row: ChartRow): number | null;
  /** Ticks of the value axis, including its ends; null fits the axis to the data, starting at 0. */
  ticks: readonly number[] | null;
  /** `share` is written in percent, `fixed` with three decimals, and `size` with three significant digits. */
  format: 'share' | 'fixed' | 'size';
  /** Charts with the same text here share one value axis, which is fitted to all of them. */
  axis?: string;
  /** Whether the chart is drawn for a run. If absent, it is always drawn. */
  applies?(run: ChartRun): boolean;
}

interface MetricGroup {
  id: 'main' | 'kinds' | MeasureChart['group'];
  title: string;
  /** Whether the group is unfolded at first. The main group always is. */
  open: boolean;
  metrics: readonly Metric[];
}

const SHARES = [0, 0.2, 0.4, 0.6, 0.8, 1];
const share = { ticks: SHARES, format: 'share' } as const;
const size = { ticks: null, format: 'size' } as const;

/** The chart of one of an environment's metrics. */
function environmentMetric(info: MetricInfo): Metric {
  const { id, label, about, unit, kind, occasional } = info;
  return {
    id,
    title: label,
    about,
    words: wordsOf(info),
    value: ({ student }) => metricValue(student, id),
    evaluated: (rates) => metricValue(rates, id),
    ...(kind === undefined && !occasional
      ? {}
      : { applies: ({ rows }: ChartRun) => rows.some(({ student }) => id in student.figures) }),
    ...(unit === 'share' ? share : size),
  };
}

/** The chart of a measure that every run logs, if one is declared. */
function measureMetrics(id: MeasureName, { unit, chart }: Measure<unknown>): Metric[] {
  if (!chart) return [];
  const { title, about, format, ticks, axis, nullLine, appliesTo } = chart;
  const isOccasional = Object.hasOwn(OCCASIONAL_MEASURES, id);
  const isShare = unit === 'share';
  return [
    {
      id,
      title,
      about,
      value: (row) => row[id] ?? null,
      ...(nullLine && { nullLine: (row: ChartRow) => row[nullLine] ?? null }),
      ...(appliesTo
        ? { applies: ({ spec }: ChartRun) => appliesTo(spec) }
        : isOccasional && { applies: ({ rows }: ChartRun) => rows.some((row) => row[id] !== undefined) }),
      ...(axis && { axis }),
      ticks: isShare || ticks ? SHARES : null,
      format: format ?? (isShare ? 'share' : 'size'),
    },
  ];
}

const place = ({ chart }: Measure<unknown>): number => chart?.place ?? 0;
const measures = (Object.entries(MEASURES) as [MeasureName, Measure<unknown>][]).sort(
  ([, a], [, b]) => place(a) - place(b),
);
const spineGroup = (id: MeasureChart['group'], title: string, open: boolean): MetricGroup => ({
  id,
  title,
  open,
  metrics: measures.flatMap(([name, info]) => (info.chart?.group === id ? measureMetrics(name, info) : [])),
});

/** Groups of charts that all runs have, in any environment. */
const SPINE: readonly MetricGroup[] = [
  spineGroup('overlaps', 'Overlap with the hack basis', false),
  spineGroup('rollouts', 'Reward and rollouts', true),
  spineGroup('optimization', 'Optimization', true),
  spineGroup('adapter', 'Adapter', false),
];

export const SPINE_METRICS: readonly Metric[] = SPINE.flatMap((group) => group.metrics);

const groupsByEnvironment = new Map<LoadableEnvironment | null, readonly MetricGroup[]>();

/** The groups of charts for a run of this environment, in reading order. The first one is always unfolded. */
export function metricGroups(environment: string): readonly MetricGroup[] {
  const entry = findEnvironment(environment);
  const found = groupsByEnvironment.get(entry) ?? groupsOf(entry);
  groupsByEnvironment.set(entry, found);
  return found;
}

function groupsOf(environment: LoadableEnvironment | null): readonly MetricGroup[] {
  const drawn = environment?.metrics.filter(({ undrawn }) => !undrawn) ?? [];
  const headlines = drawn.filter(({ headline }) => headline);
  const others = drawn.filter(({ headline, kind }) => !headline && kind === undefined);
  const kinds = drawn.filter(({ kind }) => kind !== undefined);
  const spine = SPINE.map((group) => (group.id === 'rollouts' ? withReward(group, environment, others) : group));
  const at = spine.findIndex(({ id }) => id === 'optimization');
  const byKind: MetricGroup = {
    id: 'kinds',
    title: environment?.kinds ?? '',
    open: false,
    metrics: kinds.map(environmentMetric),
  };
  const [first, ...rest] = headlines.map(({ label }) => label);
  const main: MetricGroup = {
    id: 'main',
    title: [first ?? 'No figures', ...rest.map((label) => label.toLowerCase())].join(' and '),
    open: true,
    metrics: headlines.map(environmentMetric),
  };
  return [main, ...spine.slice(0, at), ...(kinds.length > 0 ? [byKind] : []), ...spine.slice(at)];
}

/** Uses the environment's words and axis for the reward, and adds the environment's other metrics. */
function withReward(
  group: MetricGroup,
  environment: LoadableEnvironment | null,
  others: readonly MetricInfo[],
): MetricGroup {
  const metrics = group.metrics.map((metric) =>
    metric.id === 'reward' && environment ? { ...metric, ...environment.reward } : metric,
  );
  return { ...group, metrics: [...metrics, ...others.map(environmentMetric)] };
}

/** The group's metrics that apply to at least one of the runs. */
export function metricsFor(runs: readonly ChartRun[], group: MetricGroup): Metric[] {
  return group.metrics.filter(({ applies }) => !applies || runs.some(applies));
}
