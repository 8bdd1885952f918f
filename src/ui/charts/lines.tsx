// How a line of a chart is drawn: its stroke, its markers, and the band of its seeds.
import { usePlotArea, useXAxisDomain, useXAxisScale, useYAxisScale } from 'recharts';
import type { ChartData, ChartLine, ChartPoint } from '../../store/charts/data.ts';
import { MARKERS } from './recharts.ts';
import { MarkerShape } from './Shapes.tsx';

const isFaint = ({ kind }: ChartLine) => kind === 'raw' || kind === 'seed';

/** An evaluation holds until the next one, which is what the read-outs say between the two; nothing was measured on a slope. */
export const curveOf = ({ kind }: ChartLine) => (kind === 'evaluated' ? 'stepAfter' : 'linear');

export function strokeOf(line: ChartLine) {
  return {
    stroke: line.style.color,
    strokeWidth: isFaint(line) ? 1 : 2,
    strokeOpacity: isFaint(line) ? 0.32 : 1,
    strokeDasharray: isFaint(line) ? undefined : line.style.dash,
  };
}

/**
 * The markers of a chart's lines, rendered inside the chart. Recharts' own dots would make an element for every point, while a line
 * through steps has about five markers.
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

/** Every evaluation has a marker; a line through steps has a few, and a single point always has one. `r` is half of a marker's height. */
function marksOf(line: ChartLine, points: readonly ChartPoint[]): { points: readonly ChartPoint[]; r: number } {
  const isEvaluated = line.kind === 'evaluated';
  const own = isFaint(line) ? [] : points.filter((point) => typeof point[line.key] === 'number');
  const every = isEvaluated ? 1 : Math.max(1, Math.ceil(own.length / MARKERS));
  return { points: own.filter((_, i) => i % every === 0), r: isEvaluated ? 4.5 : 3.2 };
}

/** The mean's interval at a point, cut to the value axis; nulls if there are too few seeds yet. */
export function bandOf([low, high]: readonly [string, string], bottom: number, top: number) {
  const within = (y: number) => Math.min(top, Math.max(bottom, y));
  return (point: ChartPoint): [number, number] | [null, null] => {
    const [a, b] = [point[low], point[high]];
    return typeof a === 'number' && typeof b === 'number' ? [within(a), within(b)] : [null, null];
  };
}
