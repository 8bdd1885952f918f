// All charts of an experiment under one choice of smoothing and axis, each computed when it is first asked for: charts redraw
// one after another, and none should pay for the others. Charts that share a value axis share what was computed, too.
import type { RunRecord } from '../../experiments/records/events.ts';
import { type AxisName, decadeTicks, stepTicks, ticksTo, timeTicks } from './axis.ts';
import { type ChartData, chartData, type LegendEntry, legendOf } from './data.ts';
import { type Metric, SPINE_METRICS } from './metrics.ts';

export interface ChartSet {
  readonly axis: AxisName;
  readonly beta: number;
  readonly legend: readonly LegendEntry[];
  data(metric: Metric, log: boolean): ChartData;
  /** Ticks of the value axis, its ends included. Logarithmic ones need data above zero: null without. */
  ticks(metric: Metric, log: boolean): readonly number[] | null;
  /** Ticks of the axis below, and its right end. */
  along(metric: Metric): { ticks: readonly number[]; end: number };
}

/** @param steps right end of the axis of steps. */
export function chartSet(runs: readonly RunRecord[], beta: number, axis: AxisName, steps: number): ChartSet {
  const known = new Map<string, ChartData>();
  const data = (metric: Metric, log: boolean): ChartData => {
    const key = `${metric.id}/${log}`;
    const found = known.get(key) ?? chartData(runs, metric, beta, { x: axis, log });
    known.set(key, found);
    return found;
  };
  return {
    axis,
    beta,
    legend: legendOf(runs),
    data,
    ticks(metric, log) {
      if (log) {
        const { low, high } = extent(data(metric, true));
        return low > 0 && high < Number.POSITIVE_INFINITY ? decadeTicks(low, high) : null;
      }
      if (metric.ticks) return metric.ticks;
      const together = metric.axis ? SPINE_METRICS.filter((other) => other.axis === metric.axis) : [metric];
      return ticksTo(Math.max(...together.map((other) => extent(data(other, false)).high)), 4);
    },
    along(metric) {
      if (axis === 'step') return { ticks: stepTicks(steps), end: steps };
      const top = data(metric, false).points.at(-1)?.x ?? 0;
      const ticks = axis === 'time' ? timeTicks(top) : ticksTo(top, 5);
      return { ticks, end: ticks[ticks.length - 1] };
    },
  };
}

/** Smallest value above zero, and the largest, of everything that is drawn; low is 0 where there is none. */
export function extent({ points, lines, nullLevel }: ChartData): { low: number; high: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = nullLevel ?? 0;
  for (const point of points) {
    for (const { key, band } of lines) {
      const y = point[key];
      if (typeof y !== 'number') continue;
      if (y > 0 && y < low) low = y;
      high = Math.max(high, y, (band && point[band[1]]) ?? 0);
    }
  }
  return { low: low === Number.POSITIVE_INFINITY ? 0 : low, high };
}
