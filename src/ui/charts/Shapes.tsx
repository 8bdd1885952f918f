// Shapes of a plot (lib/plot.ts) as elements. Their index is their key, because they are never reordered.
import { type MarkerLook, markerOf } from '../../lib/marker.ts';
import type { Shape } from '../../lib/plot.ts';

export function Shapes({ shapes }: { shapes: readonly Shape[] }) {
  return shapes.map((shape, i) => {
    if ('d' in shape) {
      const { fill = 'none', ...path } = shape;
      // biome-ignore lint/suspicious/noArrayIndexKey: drawn anew as a whole
      return <path key={i} fill={fill} {...path} />;
    }
    const { text, ...at } = shape;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: drawn anew as a whole
      <text key={i} {...at}>
        {text}
      </text>
    );
  });
}

interface MarkerShapeProps extends MarkerLook {
  cx: number;
  cy: number;
  /** Half of the marker's height, in pixels. */
  r: number;
}

/** The marker of an arm, which distinguishes it in addition to colour, identically in charts, legends and tables. */
export const MarkerShape = ({ cx, cy, r, ...look }: MarkerShapeProps) => (
  <Shapes shapes={[markerOf(look, cx, cy, r)]} />
);
