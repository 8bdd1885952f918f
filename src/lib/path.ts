// SVG paths, with coordinates rounded to a tenth of a pixel.

export const tenth = (pixels: number): number => Math.round(10 * pixels) / 10;

/** A line through the points; nothing is visible for a single point. */
export const pathOf = (points: readonly (readonly [x: number, y: number])[]): string =>
  points.map(([x, y], i) => `${i ? 'L' : 'M'}${tenth(x)} ${tenth(y)}`).join('');

/** A step line that keeps each value until the next point. */
export const stepPathOf = (points: readonly (readonly [x: number, y: number])[]): string =>
  points.map(([x, y], i) => (i ? `H${tenth(x)}V${tenth(y)}` : `M${tenth(x)} ${tenth(y)}`)).join('');
