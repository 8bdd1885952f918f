// The frame of every chart of Findings: axes, ticks, titles, and places for values. Plain SVG at the width that the page gives, so that
// its type keeps its size on a phone.
import type { ReactNode } from 'react';
import { useWidth } from '../parts/use-width.ts';

export interface FrameAxis {
  label: string;
  low: number;
  high: number;
  ticks: readonly { at: number; text: string }[];
  /** Pixels between the frame and both ends. */
  inset?: number;
}

export interface Place {
  x: (value: number) => number;
  y: (value: number) => number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface FrameProps {
  height: number;
  pad: { left: number; right: number; top: number; bottom: number };
  /** For those who cannot see it; the figures themselves stand in the tables. */
  description: string;
  /** Its ticks have grid lines where there is no other axis. */
  x: FrameAxis;
  /** Absent: rows one below the other. */
  y?: FrameAxis;
  children: (place: Place) => ReactNode;
}

export function Frame({ height, ...props }: FrameProps) {
  const [box, width] = useWidth();
  return (
    <div ref={box} className="plot" style={{ height }}>
      {width > 0 ? <Drawing {...props} height={height} width={width} /> : null}
    </div>
  );
}

const scale = ({ low, high, inset = 0 }: FrameAxis, from: number, to: number) => {
  const step = Math.sign(to - from) * inset;
  return (value: number) => from + step + ((value - low) / (high - low)) * (to - from - 2 * step);
};

function Drawing({ height, width, pad, description, x, y, children }: FrameProps & { width: number }) {
  const [left, right, top, bottom] = [pad.left, width - pad.right, pad.top, height - pad.bottom];
  const [px, py] = [scale(x, left, right), y ? scale(y, bottom, top) : (value: number) => value];
  const middle = (top + bottom) / 2;
  return (
    <svg width={width} height={height} role="img" aria-label={description}>
      <g className="plot-axis">
        {y?.ticks.map(({ at, text }) => (
          <g key={at}>
            <line x1={left} x2={right} y1={py(at)} y2={py(at)} className="plot-grid" />
            <text x={left - 7} y={py(at) + 4} textAnchor="end">
              {text}
            </text>
          </g>
        ))}
        {x.ticks.map(({ at, text }) => (
          <g key={at}>
            {y ? null : <line x1={px(at)} x2={px(at)} y1={top} y2={bottom} className="plot-grid" />}
            <text x={px(at)} y={bottom + 16} textAnchor="middle">
              {text}
            </text>
          </g>
        ))}
        <text x={(left + right) / 2} y={height - 6} textAnchor="middle" className="plot-title">
          {x.label}
        </text>
        {y ? (
          <text x={12} y={middle} transform={`rotate(-90 12 ${middle})`} textAnchor="middle" className="plot-title">
            {y.label}
          </text>
        ) : null}
      </g>
      {children({ x: px, y: py, left, right, top, bottom })}
    </svg>
  );
}
