// A chart in plain SVG: frame, ticks, titles, and places for the marks that its children draw. It is drawn at the width that the page gives,
// so that type keeps its size on a phone. Colours are attributes, so that a saved picture has them too.
import type { ReactNode } from 'react';
import type { Axis } from '../../store/charts/axis.ts';
import { useWidth } from '../parts/use-width.ts';

export interface PlotAxis extends Omit<Axis, 'ticks'> {
  label: string;
  ticks: readonly { at: number; text: string }[];
  /** Pixels between the frame and both ends. */
  inset?: number;
}

/** From values to pixels. */
export interface Place {
  x: (value: number) => number;
  y: (value: number) => number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface PlotProps {
  height?: number;
  /** Between the frame and the edges, in pixels. */
  pad?: Partial<typeof PAD>;
  /** For those who cannot see it. */
  description: string;
  x: PlotAxis;
  /** Absent: rows one below the other, in pixels; the ticks of x have the grid lines then. */
  y?: PlotAxis;
  children: (place: Place) => ReactNode;
}

const PAD = { left: 46, right: 14, top: 12, bottom: 40 };
const TEXT = { fill: 'var(--ink-2)', fontSize: 11 } as const;
const TITLE = { ...TEXT, fontSize: 12, fontWeight: 550, textAnchor: 'middle' } as const;

/** An axis with its ticks in words; `text` is of a tick and its place among them. */
export const plotAxis = (
  label: string,
  { low, high, ticks }: Axis,
  text: (at: number, place: number) => string = String,
): PlotAxis => ({ label, low, high, ticks: ticks.map((at, i) => ({ at, text: text(at, i).replace('-', '−') })) });

export function Plot({ height = 280, ...props }: PlotProps) {
  const [box, width] = useWidth();
  return (
    <div ref={box} className="plot" style={{ height }}>
      {width > 0 ? <Drawing {...props} height={height} width={width} /> : null}
    </div>
  );
}

const scale = ({ low, high, inset = 0 }: PlotAxis, from: number, to: number) => {
  const step = Math.sign(to - from) * inset;
  return (value: number) => from + step + ((value - low) / (high - low)) * (to - from - 2 * step);
};

/** The line at zero is the one to look at. */
const gridOf = (at: number) => (at === 0 ? 'var(--ink-3)' : 'var(--line)');

function Drawing({ height, width, pad, description, x, y, children }: PlotProps & { height: number; width: number }) {
  const room = { ...PAD, ...pad };
  const [left, right, top, bottom] = [room.left, width - room.right, room.top, height - room.bottom];
  const [px, py] = [scale(x, left, right), y ? scale(y, bottom, top) : (value: number) => value];
  const middle = (top + bottom) / 2;
  return (
    <svg className="picture" width={width} height={height} role="img" aria-label={description}>
      {y?.ticks.map(({ at, text }) => (
        <g key={at}>
          <line x1={left} x2={right} y1={py(at)} y2={py(at)} stroke={gridOf(at)} />
          <text x={left - 7} y={py(at) + 4} textAnchor="end" {...TEXT}>
            {text}
          </text>
        </g>
      ))}
      {x.ticks.map(({ at, text }) => (
        <g key={at}>
          {y ? null : <line x1={px(at)} x2={px(at)} y1={top} y2={bottom} stroke={gridOf(at)} />}
          <text x={px(at)} y={bottom + 16} textAnchor="middle" {...TEXT}>
            {text}
          </text>
        </g>
      ))}
      <text x={(left + right) / 2} y={height - 6} {...TITLE}>
        {x.label}
      </text>
      {y ? (
        <text x={12} y={middle} transform={`rotate(-90 12 ${middle})`} {...TITLE}>
          {y.label}
        </text>
      ) : null}
      {children({ x: px, y: py, left, right, top, bottom })}
    </svg>
  );
}
