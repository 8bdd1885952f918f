// The second cue of every arm: a marker with the same meaning in charts, legends and tables.
import type { Marker } from '../../store/runs/arm-style.ts';

interface MarkerShapeProps {
  marker: Marker;
  cx: number;
  cy: number;
  /** Half of its height, in pixels. */
  r: number;
  color: string;
  /** An outline: a control beside the arms. Crosses and stars have no inside. */
  hollow?: boolean;
}

export function MarkerShape({ marker, cx, cy, r, color, hollow = false }: MarkerShapeProps) {
  const ring = hollow
    ? { fill: 'var(--surface)', stroke: color, strokeWidth: 1.6 }
    : { fill: color, stroke: 'var(--surface)', strokeWidth: 1.2 };
  const bare = { fill: 'none', stroke: color, strokeWidth: 2, strokeLinecap: 'round' as const };
  const at = (dx: number, dy: number) => `${cx + dx * r} ${cy + dy * r}`;
  switch (marker) {
    case 'circle':
      return <circle cx={cx} cy={cy} r={r * 0.95} {...ring} />;
    case 'square':
      return <rect x={cx - r * 0.85} y={cy - r * 0.85} width={r * 1.7} height={r * 1.7} {...ring} />;
    case 'triangle':
      return <path d={`M${at(0, -1.15)}L${at(1.1, 0.85)}L${at(-1.1, 0.85)}Z`} {...ring} />;
    case 'diamond':
      return <path d={`M${at(0, -1.25)}L${at(1.1, 0)}L${at(0, 1.25)}L${at(-1.1, 0)}Z`} {...ring} />;
    case 'cross':
      return <path d={`M${at(-0.9, -0.9)}L${at(0.9, 0.9)}M${at(-0.9, 0.9)}L${at(0.9, -0.9)}`} {...bare} />;
    case 'star':
      return (
        <path
          d={`M${at(0, -1.1)}L${at(0, 1.1)}M${at(-1, -0.6)}L${at(1, 0.6)}M${at(-1, 0.6)}L${at(1, -0.6)}`}
          {...bare}
        />
      );
  }
}
