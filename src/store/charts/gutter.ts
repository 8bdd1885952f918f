// The gutter beside a chart: where the name of each line stands. A name is at the height of its line's end; where ends are too close, names
// are moved apart and a leader joins each to its end.

/** Height of a name and pixels between two of them. */
export const NAME_HEIGHT = 17;
/** A name's middle may be so far from its line's end before a leader is drawn. */
const NEAR = 3;
/** Pixels for leaders, between the plot and the names. */
export const LEADERS = 16;
/** Font size of a name, in pixels; `.gutter` in the stylesheet must agree. */
const FONT_SIZE = 11.5;
/** Width of everything but the name: leaders, swatch, value, and the spaces between. */
const BESIDE = LEADERS + 78;
/** A longer name is cut; its button's title has all of it. */
const MOST_NAME = 118;
/** A chart narrower than this, in pixels, has its names in a list below it. */
const LEAST_WIDTH = 400;

/** Width of a name in the page's type, which has half of its size a character on average; a little more for safety. */
const nameWidth = (text: string): number => Math.ceil(0.54 * FONT_SIZE * text.length);

/** The names of lines: of a deployed model the word is enough where it tells the line from the others, and the button's title has the
 *  whole name. Whose it is (`parent: `) stays. */
export function shortNames(lines: readonly { label: string; isDeployed: boolean }[]): string[] {
  const short = lines.map(({ label, isDeployed }) => (isDeployed ? label.replace(/^([^,]*: )?.*, /, '$1') : label));
  return new Set(short).size === short.length ? short : lines.map(({ label }) => label);
}

/** Pixels for a gutter with these names beside a chart; null where they have to stand below it. */
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
 * Places names at least `NAME_HEIGHT` apart, each as near to its line's end as the others let it, between `top` and `bottom` where there is
 * room for all.
 *
 * @param ends heights of the lines' ends, in pixels from the top; null for a line without one, whose name stands below the others
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
  // Names that are pushed out at the bottom push the others back up.
  let most = last;
  for (const i of order.toReversed()) {
    at[i] = Math.min(at[i], most);
    most = at[i] - NAME_HEIGHT;
  }
  return ends.map((end, i) => ({ at: at[i], isApart: end !== null && Math.abs(at[i] - end) > NEAR }));
}
