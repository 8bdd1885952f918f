// One chart of the grid: lines over steps, a readout of the latest values, a cursor that all charts share.
import { memo, useMemo } from 'react';
import {
  CartesianGrid,
  type DotItemDotProps,
  Line,
  LineChart,
  ReferenceLine,
  Tooltip,
  type TooltipContentProps,
  XAxis,
  YAxis,
} from 'recharts';
import type { ChartData, ChartLine, LegendEntry } from '../../store/chart-data.ts';
import { decimal, percent } from '../../store/format.ts';
import type { Metric } from '../../store/metrics.ts';
import { usePaced } from '../parts/use-paced.ts';
import { Swatch } from './Legend.tsx';
import { MarkerShape } from './MarkerShape.tsx';

interface TrendChartProps {
  metric: Metric;
  data: ChartData;
  legend: readonly LegendEntry[];
  /** Right end of the step axis. */
  steps: number;
  ticks: readonly number[];
  tall: boolean;
}

const AXIS = { stroke: 'var(--line-2)', tick: { fill: 'var(--ink-3)', fontSize: 11 }, tickLine: false } as const;
/** Markers along a line, so that arms can be told apart without colour. */
const MARKERS = 5;

/** @param turn which of the charts it is: they redraw one after another. */
export function TrendChart({ turn, ...props }: TrendChartProps & { turn: number }) {
  const { metric, data, legend, steps, ticks, tall } = props;
  const current = useMemo(
    () => ({ metric, data, legend, steps, ticks, tall }),
    [metric, data, legend, steps, ticks, tall],
  );
  return <Chart {...usePaced(current, turn)} />;
}

const Chart = memo(function Chart({ metric, data, legend, steps, ticks, tall }: TrendChartProps) {
  const show = metric.percent ? (x: number | null) => percent(x, 0) : (x: number | null) => decimal(x);
  const every = Math.max(1, Math.ceil(data.points.length / MARKERS));
  return (
    <figure className="chart" aria-labelledby={`chart-${metric.id}`} data-testid={`chart-${metric.id}`}>
      <figcaption>
        <h3 id={`chart-${metric.id}`}>{metric.title}</h3>
        <p>{metric.about}</p>
        <Readout data={data} legend={legend} show={show} />
      </figcaption>
      <LineChart
        responsive
        desc={inWords(metric, data, legend, show)}
        className="chart-body"
        style={{ width: '100%', height: tall ? 250 : 190 }}
        data={data.points}
        syncId="steps"
        syncMethod="value"
        margin={{ top: 8, right: 12, bottom: 0, left: -14 }}
      >
        <CartesianGrid stroke="var(--line)" vertical={false} />
        <XAxis dataKey="x" type="number" domain={[0, steps]} ticks={stepTicks(steps)} {...AXIS} />
        <YAxis
          domain={[ticks[0], ticks[ticks.length - 1]]}
          ticks={[...ticks]}
          interval={0}
          tickFormatter={metric.percent ? (y: number) => percent(y, 0) : axisNumber}
          width={58}
          axisLine={false}
          {...AXIS}
        />
        {data.nullLevel !== null ? (
          <ReferenceLine y={data.nullLevel} stroke="var(--ink-2)" strokeDasharray="2 3" label={edgeLabel('null')} />
        ) : null}
        {data.baseLevel !== null ? (
          <ReferenceLine y={data.baseLevel} stroke="var(--ink-3)" strokeDasharray="1 4" label={edgeLabel('base')} />
        ) : null}
        <Tooltip
          isAnimationActive={false}
          cursor={{ stroke: 'var(--line-2)' }}
          content={(props) => <Hover {...props} legend={legend} show={show} />}
        />
        {data.lines.map((line) => (
          <Line
            key={line.key}
            dataKey={line.key}
            type="linear"
            connectNulls={line.kind !== 'raw'}
            isAnimationActive={false}
            activeDot={false}
            {...strokeOf(line)}
            dot={dotOf(line, every)}
          />
        ))}
      </LineChart>
    </figure>
  );
});

/** The chart in words, for those who cannot see it. */
function inWords(
  metric: Metric,
  data: ChartData,
  legend: readonly LegendEntry[],
  show: (x: number | null) => string,
): string {
  const values = legend.flatMap(({ id, label }) =>
    data.latest[id] === undefined ? [] : `${label} ${show(data.latest[id])}`,
  );
  return `${metric.title} over ${data.points.length} steps. Latest: ${values.join(', ')}.`;
}

/** At most seven round steps. */
function stepTicks(steps: number): number[] {
  let size = 1;
  // 1, 2, 5, 10, 20, 50, …
  for (let i = 0; steps / size > 6; i++) size *= i % 3 === 1 ? 2.5 : 2;
  return Array.from({ length: Math.floor(steps / size) + 1 }, (_, i) => i * size);
}

const axisNumber = (y: number) => String(Number(y.toFixed(3)));

function edgeLabel(value: string) {
  return { value, position: 'insideBottomRight', fontSize: 10, fill: 'var(--ink-3)' } as const;
}

function strokeOf({ kind, style }: ChartLine) {
  const faint = kind === 'raw' || kind === 'seed';
  return {
    stroke: style.color,
    strokeWidth: faint ? 1 : 2,
    strokeOpacity: faint ? 0.32 : 1,
    strokeDasharray: faint ? undefined : style.dash,
  };
}

function dotOf({ kind, style }: ChartLine, every: number) {
  if (kind === 'raw' || kind === 'seed') return false;
  const all = kind === 'deployed';
  return ({ cx, cy, index, key, value }: DotItemDotProps) =>
    cx === undefined || cy === undefined || value === null || value === undefined || (!all && index % every !== 0) ? (
      <g key={key} />
    ) : (
      <MarkerShape key={key} marker={style.marker} cx={cx} cy={cy} r={all ? 4.5 : 3.2} color={style.color} />
    );
}

interface ReadoutProps {
  data: ChartData;
  legend: readonly LegendEntry[];
  show: (x: number | null) => string;
}

function Readout({ data, legend, show }: ReadoutProps) {
  const entries = legend.filter((entry) => data.latest[entry.id] !== undefined);
  return (
    <dl className="readout">
      {entries.map((entry) => (
        <div key={entry.id}>
          <dt>
            <Swatch entry={entry} />
            <span className="sr">{entry.label}</span>
          </dt>
          <dd className="num">{show(data.latest[entry.id])}</dd>
        </div>
      ))}
    </dl>
  );
}

interface HoverProps extends TooltipContentProps {
  legend: readonly LegendEntry[];
  show: (x: number | null) => string;
}

function Hover({ active, payload, label, legend, show }: HoverProps) {
  if (!active || payload.length === 0) return null;
  const values = new Map(payload.map((entry) => [String(entry.dataKey), entry.value]));
  const shown = legend.filter((entry) => typeof values.get(entry.id) === 'number');
  if (shown.length === 0) return null;
  return (
    <div className="hover">
      <strong>Step {label}</strong>
      {shown.map((entry) => (
        <span key={entry.id}>
          <Swatch entry={entry} />
          <span>{entry.label}</span>
          <b className="num">{show(values.get(entry.id) as number)}</b>
        </span>
      ))}
    </div>
  );
}
