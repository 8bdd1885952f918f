// Positions of names beside the ends of lines: at the line's own end, clear of the other lines and names. Where the ends are too close, a
// name stands apart from its end, and a leader joins the two. The right ends of whole lines have a gutter beside the plot; names that are too
// long for one are within the plot.

export interface EndLabel {
  id: string;
  text: string;
  color: string;
  /** The line's end, in pixels from the left and from the top. */
  x: number;
  y: number;
}

export interface PlacedLabel extends EndLabel {
  /** Left end of the name, or its right end where it is within the plot; and the height of its middle. */
  left: number;
  isWithin: boolean;
  at: number;
  /** Whether a leader joins the name to its line. */
  isApart: boolean;
}

/** A line as it is drawn, in pixels from left to right. */
export interface DrawnLine {
  id: string;
  points: readonly (readonly [x: number, y: number])[];
}

interface Room {
  fontSize: number;
  top: number;
  bottom: number;
  /** Right end of the plot where its names have no gutter beside it. */
  right?: number;
}

/** With more names they would fill the chart; the legend has them all. */
const MOST = 6;
/** Pixels between a line's end and its name: beside it, and with a leader. */
const BESIDE = 8;
const WITH_LEADER = 20;
/** Ends within so many pixels share a column. */
const COLUMN = 12;
/** A name's middle may be so far from its line's end before a leader is drawn. */
const NEAR = 4;
/** Share of a chart's width that names may take. */
const MOST_SHARE = 1 / 3;

/** Height of a name at this font size; with less, each would cover the feet of the one above it. */
export const nameHeight = (fontSize: number): number => Math.ceil(1.32 * fontSize);

/** Width of a name in the page's semibold type, which has half of its size a character on average; a little more for safety. */
const nameWidth = (text: string, fontSize: number): number => Math.ceil(0.52 * fontSize * text.length);

/** The names at the ends of lines: where one model alone is deployed, the word is enough, and the legend has the whole name. */
export function endNames(lines: readonly { label: string; isDeployed: boolean }[]): string[] {
  const isAlone = lines.filter(({ isDeployed }) => isDeployed).length === 1;
  return lines.map(({ label, isDeployed }) => (isDeployed && isAlone ? (label.split(', ').at(-1) ?? label) : label));
}

/** Pixels to leave beside the plot for these names; 0 where they are not drawn: too many, or too wide for the chart. */
export function gutterFor(texts: readonly string[], fontSize: number, width: number): number {
  if (texts.length < 2 || texts.length > MOST) return 0;
  const room = WITH_LEADER + Math.max(...texts.map((text) => nameWidth(text, fontSize)));
  return room <= MOST_SHARE * width ? room : 0;
}

/** Names beside the ends of their lines. `lines` are all that are drawn, which no name may cover; one without room for it is left out. */
export function placeLabels(labels: readonly EndLabel[], lines: readonly DrawnLine[], room: Room): PlacedLabel[] {
  if (labels.length < 2 || labels.length > MOST) return [];
  const { right = Number.POSITIVE_INFINITY, fontSize } = room;
  const fits = ({ x, text }: EndLabel) => x + WITH_LEADER + nameWidth(text, fontSize) <= right;
  const done = placedWithin(
    labels.filter((label) => !fits(label)),
    lines,
    right,
    room,
  );
  const columns: EndLabel[][] = [];
  for (const label of labels.filter(fits).sort((a, b) => b.x - a.x)) {
    const column = columns.at(-1);
    if (column && column[0].x - label.x <= COLUMN) column.push(label);
    else columns.push([label]);
  }
  for (const column of columns) done.push(...columnOf(column, lines, done, room));
  return done;
}

/** The leader of a name that is apart from its line's end: a path. */
export function leaderOf({ x, y, left, at, isWithin }: PlacedLabel): string {
  return isWithin ? `M${x} ${y}L${left} ${at}` : `M${x + 5} ${y}L${left - 4} ${at}`;
}

/** Names that end where the plot does, above or below their lines: those of lines that end too near to it for a name beside them. */
function placedWithin(
  labels: readonly EndLabel[],
  lines: readonly DrawnLine[],
  right: number,
  { fontSize, top, bottom }: Room,
): PlacedLabel[] {
  const gap = nameHeight(fontSize);
  const done: PlacedLabel[] = [];
  for (const label of labels) {
    const from = right - nameWidth(label.text, fontSize);
    const taken = [
      ...lines.flatMap(({ points }) => spanOf(points, from, right)),
      ...done.map(({ at }) => [at - gap / 2, at + gap / 2] as const),
    ];
    const [at] = clear([label], taken, { gap, top: top + gap / 2, bottom: bottom - gap / 2 });
    if (at !== null) done.push({ ...label, left: right, at, isWithin: true, isApart: Math.abs(at - label.y) > gap });
  }
  return done;
}

/** A column of names; those placed to the right of it, and the lines that go on beyond it, are avoided. */
function columnOf(
  column: readonly EndLabel[],
  lines: readonly DrawnLine[],
  others: readonly PlacedLabel[],
  { fontSize, top, bottom }: Room,
): PlacedLabel[] {
  const gap = nameHeight(fontSize);
  const end = Math.max(...column.map(({ x }) => x));
  const right = end + WITH_LEADER + Math.max(...column.map(({ text }) => nameWidth(text, fontSize)));
  const taken = [
    ...lines.flatMap(({ points }) => spanOf(points, end + 1, right)),
    ...others
      .filter(({ left, isWithin }) => isWithin || left < right)
      .map(({ at }) => [at - gap / 2, at + gap / 2] as const),
  ];
  const heights =
    taken.length === 0
      ? spread(
          column.map(({ y }) => y),
          { gap, top: top + gap / 2, bottom: bottom - gap / 2 },
        )
      : clear(column, taken, { gap, top: top + gap / 2, bottom: bottom - gap / 2 }).map((at, i) => at ?? column[i].y);
  const moved = column.map(({ y }, i) => Math.abs(heights[i] - y) > NEAR);
  const left = end + (moved.includes(true) ? WITH_LEADER : BESIDE);
  return column.map((label, i) => ({ ...label, left, isWithin: false, at: heights[i], isApart: moved[i] }));
}

/** The heights that a line has between two places; empty where it is not drawn there. */
function spanOf(points: DrawnLine['points'], from: number, to: number): (readonly [number, number])[] {
  const ys: number[] = [];
  for (let i = 1; i < points.length; i++) {
    const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]];
    if (x1 < from || x0 > to) continue;
    const heightAt = (x: number) => (x1 === x0 ? y1 : y0 + ((y1 - y0) * (x - x0)) / (x1 - x0));
    ys.push(heightAt(Math.max(from, x0)), heightAt(Math.min(to, x1)));
  }
  return ys.length === 0 ? [] : [[Math.min(...ys), Math.max(...ys)]];
}

interface Heights {
  gap: number;
  top: number;
  bottom: number;
}

/** Heights at least `gap` apart, each as near to its wish as the others let it, and within the chart where there is room for all. */
function spread(wishes: readonly number[], { gap, top, bottom }: Heights): number[] {
  const order = [...wishes.keys()].sort((a, b) => wishes[a] - wishes[b]);
  const heights: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const i of order) {
    last = Math.max(top, wishes[i], last + gap);
    heights[i] = last;
  }
  // Names that are pushed out at the bottom push the others back up.
  let limit = bottom;
  for (const i of order.toReversed()) {
    heights[i] = Math.min(heights[i], limit);
    limit = heights[i] - gap;
  }
  return heights;
}

/** Heights nearest to the line's ends at which a name covers nothing; null where the chart is full. */
function clear(
  column: readonly EndLabel[],
  taken: readonly (readonly [from: number, to: number])[],
  { gap, top, bottom }: Heights,
): (number | null)[] {
  const own = [...taken];
  return column.map(({ y }) => {
    const isFree = (at: number) =>
      at >= top && at <= bottom && own.every(([from, to]) => at + gap / 2 <= from || at - gap / 2 >= to);
    const steps = Array.from({ length: Math.ceil((bottom - top) / 2) }, (_, i) => 2 * i);
    const at = steps.flatMap((step) => [y - step, y + step]).find(isFree) ?? null;
    if (at !== null) own.push([at - gap / 2, at + gap / 2]);
    return at;
  });
}
