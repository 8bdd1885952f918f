// The charts of an experiment: hack and solve side by side on one scale, the two overlaps on one scale, the reward.
// A lazy chunk of its own, because it brings recharts with it.
import { useDeferredValue, useMemo, useState } from 'react';
import { type ChartData, chartData, legendOf } from '../../store/chart-data.ts';
import type { ExperimentView } from '../../store/experiment-view.ts';
import { METRICS, type Metric } from '../../store/metrics.ts';
import { Legend } from './Legend.tsx';
import { TrendChart } from './TrendChart.tsx';

const SMOOTHING = [
  { label: 'off', beta: 0 },
  { label: 'light', beta: 0.6 },
  { label: 'strong', beta: 0.85 },
];

export default function ChartGrid({ view }: { view: ExperimentView }) {
  const [beta, setBeta] = useState(SMOOTHING[1].beta);
  // A redraw of five charts may wait for the hand on the keyboard.
  const shown = useDeferredValue(view);
  const legend = useMemo(() => legendOf(shown.runs), [shown]);
  const data = useMemo(
    () => new Map(METRICS.map((metric) => [metric.id, chartData(shown.runs, metric, beta)])),
    [shown, beta],
  );
  const steps = Math.max(1, ...shown.planned.map((run) => run.steps));
  const overlap = useMemo(() => sharedTicks([data.get('cinStudent')!, data.get('cinTeacher')!]), [data]);
  const draw = (metric: Metric) => (
    <TrendChart
      key={metric.id}
      metric={metric}
      data={data.get(metric.id)!}
      legend={legend}
      steps={steps}
      ticks={metric.ticks ?? overlap}
      tall={metric.percent}
      turn={METRICS.indexOf(metric) + 1}
    />
  );
  return (
    <>
      <div className="chart-bar">
        <Legend entries={legend} />
        <fieldset className="segmented">
          <legend>Smoothing</legend>
          {SMOOTHING.map((option) => (
            <label key={option.label}>
              <input
                type="radio"
                name="smoothing"
                checked={beta === option.beta}
                onChange={() => setBeta(option.beta)}
              />
              <span>{option.label}</span>
            </label>
          ))}
        </fieldset>
      </div>
      <div className="charts two">{METRICS.slice(0, 2).map(draw)}</div>
      <div className="charts three">{METRICS.slice(2).map(draw)}</div>
    </>
  );
}

/** A common value axis for charts that are to be compared: four to six round ticks from 0 to above all data. */
function sharedTicks(charts: readonly ChartData[]): number[] {
  let top = 0;
  for (const { points, lines, nullLevel } of charts) {
    top = Math.max(top, nullLevel ?? 0);
    for (const point of points) for (const { key } of lines) top = Math.max(top, point[key] ?? 0);
  }
  const step = [0.02, 0.05, 0.1, 0.2].find((size) => top <= 5 * size) ?? 0.25;
  const count = Math.max(4, Math.ceil(top / step));
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}
