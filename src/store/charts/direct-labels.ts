// Positions of names beside the ends of lines, so that none covers another.

export interface EndLabel {
  id: string;
  text: string;
  color: string;
  /** The line's end, in pixels from the top. */
  y: number;
}

/** Height of a name at this font size; with less, each would cover the feet of the one above it. */
export const nameHeight = (fontSize: number): number => Math.ceil(1.32 * fontSize);

/** Labels in the order of their lines' ends, at least `gap` apart, and within the chart where there is room for all. */
export function placed<Label extends Pick<EndLabel, 'y'>>(
  labels: readonly Label[],
  { gap, top, bottom }: { gap: number; top: number; bottom: number },
): Label[] {
  const sorted = [...labels].sort((a, b) => a.y - b.y);
  const ys: number[] = [];
  for (const { y } of sorted) ys.push(Math.max(top, y, (ys.at(-1) ?? Number.NEGATIVE_INFINITY) + gap));
  // Labels pushed out at the bottom push the others back up.
  let limit = bottom;
  for (let i = ys.length - 1; i >= 0; i--) {
    ys[i] = Math.min(ys[i], limit);
    limit = ys[i] - gap;
  }
  return sorted.map((label, i) => ({ ...label, y: ys[i] }));
}
