// Draws a line of a chart: its stroke, its markers, and the band of its seeds.
import { usePlotArea, useXAxisDomain, useXAxisScale, useYAxisScale } from 'recharts';
import type { ChartData, ChartLine, ChartPoint } from '../../store/charts/data.ts';
import { MARKERS } from './recharts.ts';
import { MarkerShape } from './Shapes.tsx';

const isFaint = ({ kind }: ChartLine) => kind === 'raw' || kind === 'seed';

/** An evaluation holds until the next one, as the gutter states between the two; a sloped line would show values that were not measured. */
export const curveOf = ({ kind }: ChartLine) => (kind === 'evaluated' ? 'stepAfter' : 'linear');

/**
 * A seed's line is faint behind the mean over the seeds, and a main line is less faint behind its final evaluation, which determines the
 * verdict.
 */
export function strokeOf(line: ChartLine, { finals }: ChartData) {
  const opacity = finals[line.legend] ? 0.55 : 1;
  return {
    stroke: line.style.color,
    strokeWidth: isFaint(line) ? 1 : 2,
    strokeOpacity: isFaint(line) ? 0.32 : opacity,
    strokeDasharray: isFaint(line) ? undefined : line.style.dash,
  };
}

/**
 * Final evaluations as filled dots beyond the last step, with their intervals, rendered inside the chart.
 * @param x position of the dots on the axis, and the end of the axis before the room for them
 */
export function FinalDots({ data, x }: { data: ChartData; x: { at: number; end: number } }) {
  const area = usePlotArea();
  const [xScale, yScale] = [useXAxisScale(), useYAxisScale()];
  if (!area || !xScale || !yScale) return null;
  const [cx, end] = [xScale(x.at), xScale(x.end)];
  const drawn = data.lines.filter(({ kind }) => kind === 'main' || kind === 'evaluated');
  if (typeof cx !== 'number' || typeof end !== 'number') return null;
  return (
    <g className="final-dots" pointerEvents="none">
      <path d={`M${end} ${area.y}v${area.height}`} stroke="var(--line-2)" strokeDasharray="2 3" />
      {drawn.flatMap(({ legend, style }) => {
        const final = data.finals[legend];
        const cy = final && yScale(final.mean);
        if (typeof cy !== 'number') return [];
        const [low, high] = final.interval ? [yScale(final.interval.low), yScale(final.interval.high)] : [];
        return [
          <g key={legend}>
            {typeof low === 'number' && typeof high === 'number' ? (
              <path d={`M${cx} ${low}V${high}`} stroke={style.color} strokeWidth={2} strokeOpacity={0.6} />
            ) : null}
            <MarkerShape marker={style.marker} color={style.color} {...{ cx, cy }} r={5} />
          </g>,
        ];
      })}
    </g>
  );
}

/**
 * The markers of a chart's lines, rendered inside the chart. Recharts' own dots would create one element per point, while a line over steps
 * has about five markers.
 */
export function Markers({ data }: { data: ChartData }) {
  const area = usePlotArea();
  const [xScale, yScale] = [useXAxisScale(), useYAxisScale()];
  const domain = useXAxisDomain();
  if (!area || !xScale || !yScale) return null;
  const [from, to] = [Number(domain?.at(0)), Number(domain?.at(-1))];
  return (
    <g className="line-markers" pointerEvents="none">
      {data.lines.flatMap((line) => {
        const { points, r } = marksOf(line, data.points);
        return points.flatMap(({ x, [line.key]: y }) => {
          const [cx, cy] = [xScale(x), yScale(y as number)];
          const isInside = x >= from && x <= to && typeof cx === 'number' && typeof cy === 'number';
          return isInside ? [<MarkerShape key={`${line.key} ${x}`} {...line.style} {...{ cx, cy, r }} />] : [];
        });
      })}
    </g>
  );
}

/** Every evaluation has a marker. A line over steps has a few, and a single point always has one. `r` is half of a marker's height. */
function marksOf(line: ChartLine, points: readonly ChartPoint[]): { points: readonly ChartPoint[]; r: number } {
  const isEvaluated = line.kind === 'evaluated';
  const own = isFaint(line) ? [] : points.filter((point) => typeof point[line.key] === 'number');
  const every = isEvaluated ? 1 : Math.max(1, Math.ceil(own.length / MARKERS));
  return { points: own.filter((_, i) => i % every === 0), r: isEvaluated ? 4.5 : 3.2 };
}

/** The mean's interval at a point, clipped to the value axis; nulls if there are too few seeds so far. */
export function bandOf([low, high]: readonly [string, string], bottom: number, top: number) {
  const within = (y: number) => Math.min(top, Math.max(bottom, y));
  return (point: ChartPoint): [number, number] | [null, null] => {
    const [a, b] = [point[low], point[high]];
    return typeof a === 'number' && typeof b === 'number' ? [within(a), within(b)] : [null, null];
  };
}
