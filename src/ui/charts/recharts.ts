// What all charts drawn by Recharts share: the look of axes, margins, and markers.
import { createElement } from 'react';
import type { DotItemDotProps } from 'recharts';
import type { ArmStyle } from '../../store/runs/arm-style.ts';
import { MarkerShape } from './Shapes.tsx';

/** Ticks are chosen so that they fit, so recharts need not measure each of them in the page. */
export const AXIS = {
  stroke: 'var(--line-2)',
  tick: { fill: 'var(--ink-3)', fontSize: 11 },
  tickLine: false,
  interval: 0,
} as const;
export const VALUE_AXIS = { ...AXIS, width: 58, axisLine: false } as const;
export const ROOM = { top: 8, right: 12, bottom: 0, left: -14 } as const;
export const CURSOR = { stroke: 'var(--line-2)' } as const;

/** Ticks of an axis from 0 to 1. */
export const SHARES = [0, 0.2, 0.4, 0.6, 0.8, 1];
/** Number of markers along a line, so that lines differ without colour, too. */
export const MARKERS = 5;

/** Draws a marker at each point that has a value and for which `isMarked` holds. `r` is half of its height in pixels. */
export function markerAt(
  { marker, color }: ArmStyle,
  r: number,
  isMarked: (dot: Pick<DotItemDotProps, 'index'>) => boolean = () => true,
) {
  return (dot: DotItemDotProps) => {
    const { cx, cy, key, value } = dot;
    return cx === undefined || cy === undefined || value === null || value === undefined || !isMarked(dot)
      ? createElement('g', { key })
      : createElement(MarkerShape, { key, marker, cx, cy, r, color });
  };
}
