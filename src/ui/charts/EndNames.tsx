// The names of a chart's lines at their ends, so that the reader need not look back and forth between lines and legend.
import { usePlotArea, useXAxisDomain, useXAxisScale, useYAxisScale } from 'recharts';
import type { ChartData, ChartLine, LegendEntry } from '../../store/charts/data.ts';
import {
  type DrawnLine,
  type EndLabel,
  endNames,
  gutterFor,
  leaderOf,
  type PlacedLabel,
  placeLabels,
} from '../../store/charts/direct-labels.ts';
import { ROOM } from './recharts.ts';

/** `end-names` in the stylesheet must agree. */
const FONT_SIZE = 11;
/** Pixels; a narrower plot has no room for names. */
const LEAST_WIDTH = 200;

const namesOf = (legend: readonly LegendEntry[]): string[] =>
  endNames(legend.map(({ label, deployed }) => ({ label, isDeployed: deployed })));

/** Pixels that a chart of this width leaves at its right for the names of these lines. */
export const roomForNames = (legend: readonly LegendEntry[], width: number): number =>
  Math.max(ROOM.right, gutterFor(namesOf(legend), FONT_SIZE, width));

export function EndNames({ data, legend, room }: { data: ChartData; legend: readonly LegendEntry[]; room: number }) {
  const area = usePlotArea();
  const [xScale, yScale] = [useXAxisScale(), useYAxisScale()];
  const domain = useXAxisDomain();
  if (!area || !xScale || !yScale || area.width < LEAST_WIDTH) return null;
  const [from, to] = [Number(domain?.at(0)), Number(domain?.at(-1))];
  const pixels = ({ key, kind }: ChartLine): DrawnLine['points'] => {
    const own = data.points.flatMap(({ x, [key]: y }): (readonly [number, number])[] =>
      typeof y === 'number' ? [[xScale(x) as number, yScale(y) as number]] : [],
    );
    // An evaluated value holds until the next one.
    return kind === 'evaluated'
      ? own.flatMap(([x, y], i) =>
          i === 0
            ? [[x, y]]
            : [
                [x, own[i - 1][1]],
                [x, y],
              ],
        )
      : own;
  };
  const drawn = data.lines
    .filter(({ kind }) => kind === 'main' || kind === 'evaluated')
    .map((line) => ({ id: line.legend, points: within(pixels(line), xScale(from) as number, xScale(to) as number) }));
  const names = namesOf(legend);
  const labels = legend.flatMap(({ id, style }, i): EndLabel[] => {
    const last = drawn.find((line) => line.id === id)?.points.at(-1);
    return last ? [{ id, text: names[i], color: style.color, x: last[0], y: last[1] }] : [];
  });
  const right = room === ROOM.right ? area.x + area.width - 2 : undefined;
  const between = { fontSize: FONT_SIZE, top: area.y, bottom: area.y + area.height, right };
  return (
    <g className="end-names" pointerEvents="none">
      {placeLabels(labels, drawn, between).map((label) => (
        <EndName key={label.id} label={label} />
      ))}
    </g>
  );
}

function EndName({ label }: { label: PlacedLabel }) {
  const { text, color, left, at, isApart, isWithin } = label;
  return (
    <>
      {isApart ? <path d={leaderOf(label)} stroke={color} strokeOpacity={0.7} fill="none" /> : null}
      <text
        x={isWithin && isApart ? left - 3 : left}
        textAnchor={isWithin ? 'end' : 'start'}
        y={at + 0.35 * FONT_SIZE}
        fill={color}
        stroke="var(--surface)"
        strokeWidth={3}
        paintOrder="stroke"
        fontSize={FONT_SIZE}
        fontWeight={600}
      >
        {text}
      </text>
    </>
  );
}

/** The part of a line between two places; it is cut where it leaves them. */
function within(points: DrawnLine['points'], from: number, to: number): DrawnLine['points'] {
  const after = points.findIndex(([x]) => x > to);
  const inside = points.filter(([x]) => x >= from && x <= to);
  if (after < 1) return inside;
  const [[x0, y0], [x1, y1]] = [points[after - 1], points[after]];
  return x1 < from ? inside : [...inside, [to, y0 + ((y1 - y0) * (to - x0)) / (x1 - x0)]];
}
