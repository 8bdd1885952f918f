// Marks that a plot draws: lines with their markers, bands, and error bars.
import { pathOf, tenth } from '../../lib/path.ts';
import type { Place } from '../../lib/plot.ts';
import type { ArmStyle } from '../../store/runs/arm-style.ts';
import { MarkerShape } from './Shapes.tsx';

interface Point {
  x: number;
  y: number;
}

interface LineMarkProps {
  points: readonly Point[];
  style: ArmStyle;
  place: Place;
  /** Every `every`-th point has a marker; 0 draws none. */
  every?: number;
  r?: number;
  /** A marker's tooltip. */
  words?: (point: Point) => string;
}

export function LineMark({
  points,
  style: { color, dash, marker, hollow },
  place,
  every = 1,
  r = 4,
  words,
}: LineMarkProps) {
  const marked = every === 0 ? [] : points.filter((_, i) => i % every === 0);
  return (
    <>
      <path
        d={pathOf(points.map(({ x, y }) => [place.x(x), place.y(y)]))}
        fill="none"
        stroke={color}
        strokeWidth={2}
        strokeDasharray={dash}
      />
      {marked.map((point) => (
        <g key={point.x}>
          {words ? <title>{words(point)}</title> : null}
          <MarkerShape {...{ marker, color, hollow, r }} cx={place.x(point.x)} cy={place.y(point.y)} />
        </g>
      ))}
    </>
  );
}

interface EdgesProps {
  edges: readonly { x: number; low: number; high: number }[];
  color: string;
  place: Place;
}

/** Traces the upper edge and returns along the lower. Draws nothing for fewer than two points. */
export function BandMark({ edges, color, place }: EdgesProps) {
  if (edges.length < 2) return null;
  const edge = (of: 'low' | 'high') => edges.map((at) => [place.x(at.x), place.y(at[of])] as const);
  return (
    <path className="band" d={`${pathOf([...edge('high'), ...edge('low').reverse()])}Z`} fill={color} opacity={0.14} />
  );
}

export const ErrorBarMark = ({ edges, color, place }: EdgesProps) => (
  <path
    d={edges
      .map(({ x, low, high }) => [tenth(place.x(x)), tenth(place.y(low)), tenth(place.y(high))])
      .map(([x, low, high]) => `M${x} ${low}V${high}M${x - 4} ${low}h8M${x - 4} ${high}h8`)
      .join('')}
    stroke={color}
    opacity={0.6}
  />
);
