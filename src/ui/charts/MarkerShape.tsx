// The second cue of every arm: a marker with the same meaning in charts, legends and tables.
import { type MarkerLook, markerOf } from '../../lib/marker.ts';
import { Shapes } from './Shapes.tsx';

interface MarkerShapeProps extends MarkerLook {
  cx: number;
  cy: number;
  /** Half of its height, in pixels. */
  r: number;
}

export const MarkerShape = ({ cx, cy, r, ...look }: MarkerShapeProps) => (
  <Shapes shapes={[markerOf(look, cx, cy, r)]} />
);
