// Names beside the ends of lines: where each is written, so that none is on another.

export interface EndLabel {
  id: string;
  text: string;
  color: string;
  /** Of the line's end, in pixels from the top. */
  y: number;
}

/** Height of a name of this type size: less, and each is painted over the feet of the one above it. */
export const nameHeight = (fontSize: number): number => Math.ceil(1.32 * fontSize);

/** In the order of their lines, at least `gap` apart, within the chart where there is room for all. */
export function placed<Label extends Pick<EndLabel, 'y'>>(
  labels: readonly Label[],
  { gap, top, bottom }: { gap: number; top: number; bottom: number },
): Label[] {
  const sorted = [...labels].sort((a, b) => a.y - b.y);
  const ys: number[] = [];
  for (const { y } of sorted) ys.push(Math.max(top, y, (ys.at(-1) ?? Number.NEGATIVE_INFINITY) + gap));
  // What was pushed out below pushes back up.
  let limit = bottom;
  for (let i = ys.length - 1; i >= 0; i--) {
    ys[i] = Math.min(ys[i], limit);
    limit = ys[i] - gap;
  }
  return sorted.map((label, i) => ({ ...label, y: ys[i] }));
}
