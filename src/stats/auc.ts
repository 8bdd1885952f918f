// Area under a curve.

/** Area by the trapezoid rule; 0 for a single point. Throws RangeError unless x ascends strictly and both have the same length, at least
 *  1. */
export function trapezoid(x: readonly number[], y: readonly number[]): number {
  if (x.length !== y.length || x.length === 0)
    throw new RangeError(`trapezoid(x, y) needs as many x as y, got ${x.length} and ${y.length}`);
  let area = 0;
  for (let i = 1; i < x.length; i++) {
    if (!(x[i] > x[i - 1])) throw new RangeError(`x must ascend, got ${x[i - 1]} before ${x[i]}`);
    area += ((x[i] - x[i - 1]) * (y[i] + y[i - 1])) / 2;
  }
  return area;
}

/** Area divided by width: the mean height along x. For a single point, its value. */
export function meanHeight(x: readonly number[], y: readonly number[]): number {
  const area = trapezoid(x, y);
  return x.length === 1 ? y[0] : area / (x[x.length - 1] - x[0]);
}
