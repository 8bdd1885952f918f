// A plot of marks with a number each: colour and shape as in all charts, the number as in the table beside it. Plain SVG, drawn
// at the width that the page gives, so that its type keeps its size on a phone.
import type { ReactNode } from 'react';
import type { Axis, Mark } from '../../store/kinds/study/chart.ts';
import { MarkerShape } from '../charts/MarkerShape.tsx';
import { useWidth } from '../parts/use-width.ts';

const HEIGHT = 340;
const PAD = { left: 46, right: 18, top: 12, bottom: 40 };
const RADIUS = 6;

interface PlotProps {
  /** For those who cannot see it; the figures themselves stand in the table. */
  description: string;
  marks: readonly Mark[];
  x: Axis;
  y: Axis;
  xLabel: string;
  yLabel: string;
  /** Ids of marks that a line joins, in order. */
  line?: readonly string[];
  /** Drawn behind the marks. */
  behind?: (place: Place) => ReactNode;
}

export interface Place {
  x: (value: number) => number;
  y: (value: number) => number;
}

export function Plot(props: PlotProps) {
  const [box, width] = useWidth();
  return (
    <div ref={box} className="plot" style={{ height: HEIGHT }}>
      {width > 0 ? <Drawing {...props} width={width} /> : null}
    </div>
  );
}

function Drawing({ description, marks, x, y, xLabel, yLabel, line, behind, width }: PlotProps & { width: number }) {
  const right = width - PAD.right;
  const bottom = HEIGHT - PAD.bottom;
  const place: Place = {
    x: (value) => PAD.left + ((value - x.low) / (x.high - x.low)) * (right - PAD.left),
    y: (value) => bottom - ((value - y.low) / (y.high - y.low)) * (bottom - PAD.top),
  };
  const at = ({ x: px, y: py }: { x: number; y: number }) => [place.x(px), place.y(py)] as const;
  const joined = (line ?? []).flatMap((id) => marks.find((mark) => mark.id === id) ?? []);
  const labels = placeLabels(marks.map(at), { left: PAD.left, right, top: PAD.top, bottom });
  const percent = (value: number) => `${Math.round(100 * value)}%`.replace('-', '−');
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={description}>
      <g className="plot-axis">
        {y.ticks.map((tick) => (
          <g key={tick}>
            <line x1={PAD.left} x2={right} y1={place.y(tick)} y2={place.y(tick)} className="plot-grid" />
            <text x={PAD.left - 7} y={place.y(tick) + 4} textAnchor="end">
              {percent(tick)}
            </text>
          </g>
        ))}
        {x.ticks.map((tick) => (
          <text key={tick} x={place.x(tick)} y={bottom + 16} textAnchor="middle">
            {percent(tick)}
          </text>
        ))}
        <text x={(PAD.left + right) / 2} y={HEIGHT - 6} textAnchor="middle" className="plot-title">
          {xLabel}
        </text>
        <text
          x={12}
          y={(PAD.top + bottom) / 2}
          transform={`rotate(-90 12 ${(PAD.top + bottom) / 2})`}
          textAnchor="middle"
          className="plot-title"
        >
          {yLabel}
        </text>
      </g>
      {behind?.(place)}
      {joined.length > 1 ? (
        <path
          className="plot-line"
          d={joined.map((mark, i) => `${i ? 'L' : 'M'}${at(mark).join(' ')}`).join('')}
          stroke={joined[0].style.color}
        />
      ) : null}
      <g className="plot-seeds">
        {marks.flatMap((mark) =>
          mark.seeds.map((seed) => (
            <MarkerShape
              key={`${mark.id} ${seed.seed}`}
              marker={mark.style.marker}
              cx={place.x(seed.x)}
              cy={place.y(seed.y)}
              r={3.2}
              color={mark.style.color}
              hollow={mark.style.hollow}
            />
          )),
        )}
      </g>
      {marks.map((mark) => (
        <g key={mark.id} data-mark={mark.id}>
          <title>{mark.label}</title>
          <MarkerShape
            marker={mark.style.marker}
            cx={place.x(mark.x)}
            cy={place.y(mark.y)}
            r={RADIUS}
            color={mark.style.color}
            hollow={mark.style.hollow}
          />
        </g>
      ))}
      {marks.map((mark, i) => (
        <g key={mark.id} className="plot-number">
          {labels[i].far ? <line x1={place.x(mark.x)} y1={place.y(mark.y)} x2={labels[i].x} y2={labels[i].y} /> : null}
          <text x={labels[i].x} y={labels[i].y + 4} textAnchor="middle">
            {mark.number}
          </text>
        </g>
      ))}
    </svg>
  );
}

interface Label {
  x: number;
  y: number;
  /** So far from its mark that a line must lead to it. */
  far: boolean;
}

const DIRECTIONS = [
  [1, -1],
  [1, 1],
  [-1, -1],
  [-1, 1],
  [1.3, 0],
  [-1.3, 0],
  [0, -1.3],
  [0, 1.3],
] as const;
/** Distances from the mark at which a place is looked for, in pixels. */
const REACH = [11, 19, 28, 38] as const;
const NEAR = 22;

/** The first place near each mark where its number covers no mark and no other number. */
function placeLabels(
  points: readonly (readonly [number, number])[],
  { left, right, top, bottom }: { left: number; right: number; top: number; bottom: number },
): Label[] {
  const placed: Label[] = [];
  for (const [px, py] of points) {
    const candidates = REACH.flatMap((reach) =>
      DIRECTIONS.map(([dx, dy]) => ({ x: px + dx * reach, y: py + dy * reach, far: reach > NEAR })),
    );
    const inside = candidates.filter(({ x, y }) => x > left + 4 && x < right && y > top && y < bottom - 4);
    const free = inside.find(
      ({ x, y }) =>
        placed.every((other) => Math.abs(other.x - x) > 15 || Math.abs(other.y - y) > 12) &&
        points.every(([qx, qy]) => Math.abs(qx - x) > 12 || Math.abs(qy - y) > 11),
    );
    placed.push(free ?? inside[0] ?? candidates[0]);
  }
  return placed;
}
