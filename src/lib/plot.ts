// A plot's frame as shapes: ticks, grid lines, titles, and the mapping from values to pixels. Shapes are plain data, which the page draws as
// SVG elements and a command writes to a file, so that both give the same picture. Colours are the page's design tokens (`var(--ink)`).
import type { Axis } from './axis.ts';
import { tenth } from './path.ts';

export type Shape =
  | {
      d: string;
      fill?: string;
      stroke?: string;
      strokeWidth?: number;
      strokeDasharray?: string;
      strokeLinecap?: 'round';
      opacity?: number;
    }
  | {
      text: string;
      x: number;
      y: number;
      fill: string;
      fontSize: number;
      fontWeight?: number;
      textAnchor?: 'start' | 'middle' | 'end';
      transform?: string;
      /** Outline behind the letters, so that they are readable over lines. */
      stroke?: string;
      strokeWidth?: number;
      paintOrder?: 'stroke';
    };

export interface PlotAxis extends Omit<Axis, 'ticks'> {
  label: string;
  ticks: readonly { at: number; text: string }[];
  /** Pixels between the frame and both ends of the axis. */
  inset?: number;
}

/** Maps values to pixels. */
export interface Place {
  x: (value: number) => number;
  y: (value: number) => number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface PlotSize {
  width: number;
  height: number;
  /** Pixels between the frame and the edges of the picture. */
  pad?: Partial<typeof PAD>;
}

export interface PlotAxes {
  x: PlotAxis;
  /** Absent if y values are already pixels (rows of a chart); the grid lines are then at the ticks of x. */
  y?: PlotAxis;
}

const PAD = { left: 46, right: 14, top: 12, bottom: 40 };
const TEXT = { fill: 'var(--ink-2)', fontSize: 11 } as const;
const TITLE = { ...TEXT, fontSize: 12, fontWeight: 550, textAnchor: 'middle' } as const;

/** An axis with tick labels; `text` formats a tick, given its index. */
export const plotAxis = (
  label: string,
  { low, high, ticks }: Axis,
  text: (at: number, place: number) => string = String,
): PlotAxis => ({ label, low, high, ticks: ticks.map((at, i) => ({ at, text: text(at, i).replace('-', '−') })) });

const scale = ({ low, high, inset = 0 }: PlotAxis, from: number, to: number) => {
  const step = Math.sign(to - from) * inset;
  return (value: number) => from + step + ((value - low) / (high - low)) * (to - from - 2 * step);
};

export function placeOf({ width, height, pad }: PlotSize, { x, y }: PlotAxes): Place {
  const room = { ...PAD, ...pad };
  const [left, right, top, bottom] = [room.left, width - room.right, room.top, height - room.bottom];
  return { left, right, top, bottom, x: scale(x, left, right), y: y ? scale(y, bottom, top) : (value) => value };
}

/** Grid lines, ticks and titles. */
export function frameOf(
  { x, y }: PlotAxes,
  { height }: PlotSize,
  { left, right, top, bottom, x: px, y: py }: Place,
): Shape[] {
  const middle = (top + bottom) / 2;
  // The line at zero is darker.
  const line = (at: number, d: string): Shape => ({ d, stroke: at === 0 ? 'var(--ink-3)' : 'var(--line)' });
  return [
    ...(y?.ticks ?? []).flatMap(({ at, text }) => [
      line(at, `M${left} ${tenth(py(at))}H${right}`),
      { text, x: left - 7, y: tenth(py(at) + 4), textAnchor: 'end', ...TEXT } as const,
    ]),
    ...x.ticks.flatMap(({ at, text }) => [
      ...(y ? [] : [line(at, `M${tenth(px(at))} ${top}V${bottom}`)]),
      { text, x: tenth(px(at)), y: bottom + 16, textAnchor: 'middle', ...TEXT } as const,
    ]),
    { text: x.label, x: (left + right) / 2, y: height - 6, ...TITLE },
    ...(y ? [{ text: y.label, x: 12, y: middle, transform: `rotate(-90 12 ${middle})`, ...TITLE }] : []),
  ];
}
