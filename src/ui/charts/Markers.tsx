// The markers of a chart's lines, read from inside the chart: recharts' own dots are an element for every point of every line, of which a
// line through steps marks five.
import { usePlotArea, useXAxisDomain, useXAxisScale, useYAxisScale } from 'recharts';
import type { ChartData } from '../../store/charts/data.ts';
import { marksOf } from './lines.tsx';
import { MarkerShape } from './MarkerShape.tsx';

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
