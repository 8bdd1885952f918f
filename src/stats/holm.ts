// Holm's step-down adjustment for multiple tests (Holm, "A simple sequentially rejective multiple test procedure", 1979). It is
// valid for any dependence between the tests.

/** Adjusted p values, in order; null marks a test that was not made, which does not count and stays null. Throws RangeError on p outside [0, 1]. */
export function holm(ps: readonly (number | null)[]): (number | null)[] {
  const tested = ps.flatMap((p, index) => (p === null ? [] : [{ p, index }]));
  for (const { p } of tested) if (!(p >= 0 && p <= 1)) throw new RangeError(`a p lies between 0 and 1, got ${p}`);
  tested.sort((a, b) => a.p - b.p || a.index - b.index);
  const adjusted: (number | null)[] = ps.map(() => null);
  let floor = 0;
  for (const [rank, { p, index }] of tested.entries()) {
    floor = Math.max(floor, Math.min(1, (tested.length - rank) * p));
    adjusted[index] = floor;
  }
  return adjusted;
}
