// Paths of an SVG, in pixels to a tenth.

export const tenth = (pixels: number): number => Math.round(10 * pixels) / 10;

/** A line through the points; a single point gives none. */
export const pathOf = (points: readonly (readonly [x: number, y: number])[]): string =>
  points.map(([x, y], i) => `${i ? 'L' : 'M'}${tenth(x)} ${tenth(y)}`).join('');

/** A line that holds each value until the next point. */
export const stepPathOf = (points: readonly (readonly [x: number, y: number])[]): string =>
  points.map(([x, y], i) => (i ? `H${tenth(x)}V${tenth(y)}` : `M${tenth(x)} ${tenth(y)}`)).join('');
