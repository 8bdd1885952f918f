// Markers that distinguish arms without colour, as shapes of a plot (plot.ts), for the page and for figure files.
import { tenth } from './path.ts';
import type { Shape } from './plot.ts';

export type Marker = 'circle' | 'square' | 'triangle' | 'diamond' | 'cross' | 'star';

export interface MarkerLook {
  marker: Marker;
  color: string;
  /** Whether it is only an outline, as for a control. Crosses and stars have no inside. */
  hollow?: boolean;
}

/** @param r half the marker's height, pixels */
export function markerOf({ marker, color, hollow = false }: MarkerLook, cx: number, cy: number, r: number): Shape {
  const d = markerPath(marker, cx, cy, r);
  if (marker === 'cross' || marker === 'star') return { d, stroke: color, strokeWidth: 2, strokeLinecap: 'round' };
  return hollow
    ? { d, fill: 'var(--surface)', stroke: color, strokeWidth: 1.6 }
    : { d, fill: color, stroke: 'var(--surface)', strokeWidth: 1.2 };
}

function markerPath(marker: Marker, cx: number, cy: number, r: number): string {
  const at = (dx: number, dy: number) => `${tenth(cx + dx * r)} ${tenth(cy + dy * r)}`;
  switch (marker) {
    case 'circle': {
      const arc = `A${tenth(0.95 * r)} ${tenth(0.95 * r)} 0 1 0`;
      return `M${at(-0.95, 0)}${arc} ${at(0.95, 0)}${arc} ${at(-0.95, 0)}Z`;
    }
    case 'square':
      return `M${at(-0.85, -0.85)}L${at(0.85, -0.85)}L${at(0.85, 0.85)}L${at(-0.85, 0.85)}Z`;
    case 'triangle':
      return `M${at(0, -1.15)}L${at(1.1, 0.85)}L${at(-1.1, 0.85)}Z`;
    case 'diamond':
      return `M${at(0, -1.25)}L${at(1.1, 0)}L${at(0, 1.25)}L${at(-1.1, 0)}Z`;
    case 'cross':
      return `M${at(-0.9, -0.9)}L${at(0.9, 0.9)}M${at(-0.9, 0.9)}L${at(0.9, -0.9)}`;
    case 'star':
      return `M${at(0, -1.1)}L${at(0, 1.1)}M${at(-1, -0.6)}L${at(1, 0.6)}M${at(-1, 0.6)}L${at(1, -0.6)}`;
  }
}
