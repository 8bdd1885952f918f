// A dose curve between its doses: where a measure first reaches a value, and everything else read there. Nothing is read beyond the
// last dose.

/** Linear between the two doses around it; null where the measure is not below `at` first and does not reach it later. */
export function between<Point>(
  curve: readonly Point[],
  measure: (point: Point) => number,
  at: number,
): ((of: (point: Point) => number) => number) | null {
  const after = curve.findIndex((point) => measure(point) >= at);
  if (after < 1) return null;
  const [low, high] = [curve[after - 1], curve[after]];
  const share = (at - measure(low)) / (measure(high) - measure(low));
  return (of) => of(low) + share * (of(high) - of(low));
}
