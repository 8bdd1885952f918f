// All charts of an experiment with one choice of smoothing and axis. Each is computed when it is first needed, because charts redraw one
// after another and should not wait for the others. Charts that share a value axis also share the computed data.
import { axisAround } from '../../lib/axis.ts';
import { type AxisName, decadeTicks, stepTicks, ticksTo, timeTicks } from './axis.ts';
import { type ChartData, chartData, type LegendEntry, legendOf } from './data.ts';
import { type Metric, metricGroups, SPINE_METRICS } from './metrics.ts';
import { type PinnedLine, withPinned } from './pinned.ts';
import type { ChartRun } from './run.ts';

export interface ChartSet {
  readonly axis: AxisName;
  readonly beta: number;
  /** The zoom that was passed to chartSet. */
  readonly zoom: ChartLook['zoom'];
  readonly hidden: ChartLook['hidden'];
  /** Number of runs that have a step. */
  readonly begun: number;
  /** All lines, including the hidden ones. */
  readonly entries: readonly LegendEntry[];
  /** Lines that are drawn. */
  readonly legend: readonly LegendEntry[];
  data(metric: Metric, log: boolean): ChartData;
  /** Ticks of the value axis, including its ends. Logarithmic ticks need data above zero; null without such data. */
  ticks(metric: Metric, log: boolean): readonly number[] | null;
  /** Whether any drawn value is below zero, where the logarithm is undefined. */
  dips(metric: Metric): boolean;
  along(metric: Metric): AlongAxis;
}

/** The horizontal axis of a chart. */
export interface AlongAxis {
  ticks: readonly number[];
  /** Ends of the drawn part, without the room for final evaluations. */
  start: number;
  end: number;
  /** Right end of the whole axis. */
  whole: number;
  /** The position of the final evaluations, beyond the last step, and the right end of their room. Null if the drawn part contains none. */
  final: { at: number; edge: number } | null;
}

/** The room for final evaluations, and their position in it, as shares of the drawn part. */
const FINAL = { room: 0.07, at: 0.045 };

/** The drawn part of a chart set, and its pinned lines. */
export interface ChartLook {
  /** Part of the axis, as shares of its length. */
  zoom?: readonly [from: number, to: number];
  /** Entries of the legend whose lines are not drawn. The others keep their colours. */
  hidden?: ReadonlySet<string>;
  /** Lines of other runs, drawn on the axis of steps only. If there are no own runs, the charts show only these lines. */
  pinned?: readonly PinnedLine[];
}

/** @param steps right end of the axis of steps */
export function chartSet(
  runs: readonly ChartRun[],
  beta: number,
  axis: AxisName,
  steps: number,
  { zoom, hidden, pinned = [] }: ChartLook = {},
): ChartSet {
  const [from, to] = zoom ?? [0, 1];
  const known = new Map<string, ChartData>();
  const others = axis === 'step' ? pinned : [];
  const drawn = (metric: Metric, log: boolean) =>
    withPinned(chartData(runs, metric, beta, { x: axis, log }), metric, others, {
      beta,
      log,
      isTracked: runs.length === 0,
    });
  const data = (metric: Metric, log: boolean): ChartData => {
    const key = `${metric.id}/${log}`;
    const found = known.get(key) ?? withoutHidden(drawn(metric, log), hidden);
    known.set(key, found);
    return found;
  };
  // Charts that are compared with each other share one scale.
  const [first] = [...runs, ...pinned.flatMap(({ group }) => group.runs)];
  const entries = [...legendOf(runs), ...others.map(({ entry }) => entry)];
  const main = metricGroups(first?.spec.environment ?? '')[0].metrics.filter(({ format }) => format === 'share');
  const withMain = (metric: Metric) => (main.some(({ id }) => id === metric.id) ? main : [metric]);
  return {
    axis,
    beta,
    zoom,
    hidden,
    // The rows are counted now, because they are appended in place.
    begun: runs.filter(({ rows }) => rows.length > 0).length,
    entries,
    legend: entries.filter(({ id }) => !hidden?.has(id)),
    data,
    ticks(metric, log) {
      if (log) {
        const { low, high } = extent(data(metric, true));
        return low > 0 && high < Number.POSITIVE_INFINITY ? decadeTicks(low, high) : null;
      }
      if (metric.ticks && !spansShares(metric.ticks)) return metric.ticks;
      if (metric.ticks)
        return fittedShares(
          withMain(metric).map((other) => data(other, false)),
          metric.ticks,
        );
      const together = metric.axis ? SPINE_METRICS.filter((other) => other.axis === metric.axis) : [metric];
      const ends = together.map((other) => extent(data(other, false)));
      const [least, high] = [Math.min(...ends.map((end) => end.least)), Math.max(...ends.map((end) => end.high))];
      return least < 0 ? axisAround([least, high]).ticks : ticksTo(high, 4);
    },
    dips(metric) {
      const { points, lines } = data(metric, false);
      return points.some((point) => lines.some(({ key }) => (point[key] ?? 0) < 0));
    },
    along(metric) {
      const top = axis === 'step' ? steps : (data(metric, false).points.at(-1)?.x ?? 0);
      const ticks = axis === 'step' ? stepTicks(top) : axis === 'time' ? timeTicks(top) : ticksTo(top, 5);
      const whole = axis === 'step' ? steps : ticks[ticks.length - 1];
      const room = (start: number, end: number) => {
        const size = end - start;
        const hasFinal = to === 1 && Object.keys(data(metric, false).finals).length > 0;
        return hasFinal ? { at: end + FINAL.at * size, edge: end + FINAL.room * size } : null;
      };
      if (from === 0 && to === 1) return { ticks, start: 0, end: whole, whole, final: room(0, whole) };
      // A zoomed part needs more ticks than the whole axis.
      const [start, end] = [from * whole, to * whole];
      const finer = axis === 'step' ? stepTicks(end - start) : ticksTo(end - start, 5);
      const size = Math.max(axis === 'step' ? 1 : 0, (finer[1] ?? 1) - finer[0]);
      const least = Math.ceil(start / size);
      const count = Math.floor(end / size) - least + 1;
      const within = Array.from({ length: Math.max(0, count) }, (_, i) => (least + i) * size);
      return { ticks: within, start, end, whole, final: room(start, end) };
    },
  };
}

const spansShares = (ticks: readonly number[]): boolean => ticks[0] === 0 && ticks[ticks.length - 1] === 1;

/** Ticks from 0 that fit the highest value. `whole` is used if the highest value is above 0.8 or is zero. */
function fittedShares(charts: readonly ChartData[], whole: readonly number[]): readonly number[] {
  const high = Math.max(...charts.map((data) => Math.max(extent(data).high, data.baseLevel ?? 0)));
  return high > 0.8 || high === 0 ? whole : ticksTo(high, 4);
}

function withoutHidden(data: ChartData, hidden: ReadonlySet<string> | undefined): ChartData {
  if (!hidden || hidden.size === 0) return data;
  return { ...data, lines: data.lines.filter(({ legend }) => !hidden.has(legend)) };
}

/**
 * Over everything that is drawn: `low` is the smallest positive value (0 if there is none), `least` the smallest value but at most 0, and
 * `high` the largest value.
 */
export function extent({ points, lines, nullLevel, finals }: ChartData): { low: number; least: number; high: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = nullLevel ?? 0;
  let least = 0;
  for (const point of points) {
    for (const { key, band } of lines) {
      const y = point[key];
      if (typeof y !== 'number') continue;
      if (y > 0 && y < low) low = y;
      high = Math.max(high, y, (band && point[band[1]]) ?? 0);
      least = Math.min(least, y, (band && point[band[0]]) ?? 0);
    }
  }
  for (const [id, { mean, interval }] of Object.entries(finals))
    if (lines.some(({ legend }) => legend === id)) high = Math.max(high, interval?.high ?? mean);
  return { low: low === Number.POSITIVE_INFINITY ? 0 : low, least, high };
}
