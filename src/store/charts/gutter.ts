// The gutter beside a chart: the position of each line's name. A name is at the height of its line's end. If ends are too close to each
// other, names are moved apart and a leader joins each name to its line's end.

/** Height of a name, which is also the least distance between the middles of two names, in pixels. */
export const NAME_HEIGHT = 17;
/** Maximum distance in pixels between a name's middle and its line's end without a leader. */
const NEAR = 3;
/** Width of the leaders between the plot and the names, in pixels. */
export const LEADERS = 16;
/** Font size of a name, in pixels; `.gutter` in the stylesheet must agree. */
const FONT_SIZE = 11.5;
/** Width of everything except the name: leaders, swatch, value, and the spaces between them. */
const BESIDE = LEADERS + 78;
/** A longer name is cut; the title of its button has the full name. */
const MOST_NAME = 118;
/** A chart narrower than this (in pixels) has its names in a list below it. */
const LEAST_WIDTH = 400;

/** Estimated width of a name in the page's font, in which a character takes half of the font size on average; slightly more, to be safe. */
const nameWidth = (text: string): number => Math.ceil(0.54 * FONT_SIZE * text.length);

/**
 * The names of lines. A deployed model is just called deployed if that distinguishes the line from the others, and the button's title has
 * the full name. The prefix of its run (`parent: `) is preserved.
 */
export function shortNames(lines: readonly { label: string; isDeployed: boolean }[]): string[] {
  const short = lines.map(({ label, isDeployed }) => (isDeployed ? label.replace(/^([^,]*: )?.*, /, '$1') : label));
  return new Set(short).size === short.length ? short : lines.map(({ label }) => label);
}

/** Width in pixels of a gutter with these names beside a chart; null if they have to stand below the chart. */
export function gutterWidth(
  names: readonly string[],
  { width, height }: { width: number; height: number },
): number | null {
  if (width < LEAST_WIDTH || names.length === 0 || names.length * NAME_HEIGHT > height) return null;
  return BESIDE + Math.min(MOST_NAME, Math.max(...names.map(nameWidth)));
}

export interface Place {
  /** Middle of the name, in pixels from the top. */
  at: number;
  isApart: boolean;
}

/**
 * Places names at least `NAME_HEIGHT` apart, each as near to its line's end as the others allow, between `top` and `bottom` if there is
 * room for all.
 * @param ends heights of the lines' ends, in pixels from the top; null for a line without an end, whose name stands below the others
 */
export function placeNames(
  ends: readonly (number | null)[],
  { top, bottom }: { top: number; bottom: number },
): Place[] {
  const [first, last] = [top + NAME_HEIGHT / 2, bottom - NAME_HEIGHT / 2];
  const wishes = ends.map((end) => end ?? Number.POSITIVE_INFINITY);
  const order = [...wishes.keys()].sort((a, b) => wishes[a] - wishes[b] || a - b);
  const at: number[] = [];
  let least = first;
  for (const i of order) {
    at[i] = Math.max(Math.min(wishes[i], last), least);
    least = at[i] + NAME_HEIGHT;
  }
  // Names that would go beyond the bottom push the names above them up again.
  let most = last;
  for (const i of order.toReversed()) {
    at[i] = Math.min(at[i], most);
    most = at[i] - NAME_HEIGHT;
  }
  return ends.map((end, i) => ({ at: at[i], isApart: end !== null && Math.abs(at[i] - end) > NEAR }));
}
