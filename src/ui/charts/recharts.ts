// Common parts of charts drawn by recharts and of the elements beside them: the look of axes, margins, and the number of markers.

/** Ticks are chosen so that they fit, so that recharts need not measure each of them in the page. */
export const AXIS = {
  stroke: 'var(--line-2)',
  tick: { fill: 'var(--ink-3)', fontSize: 11 },
  tickLine: false,
  interval: 0,
} as const;
export const VALUE_AXIS = { ...AXIS, width: 58, axisLine: false } as const;
/** Height of the horizontal axis, in pixels. */
export const X_AXIS_HEIGHT = 26;
/** Margins. The right one has room for half of the last step's number. */
export const ROOM = { top: 16, right: 10, bottom: 0, left: -14 } as const;
export const CURSOR = { stroke: 'var(--line-2)' } as const;

/** Number of markers along a line, so that lines can be distinguished without colour. */
export const MARKERS = 5;
