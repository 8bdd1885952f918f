// The frontier as a picture: shapes made from its marks (lib/plot.ts), at any size. The page draws it, smaller on the first screen; `lab
// arena --publish` writes it as a figure of the docs.

import { LABEL_WORDS, LABELS, type Labels } from '../../experiments/analysis/methods.ts';
import { axisAround } from '../../lib/axis.ts';
import { type MarkerLook, markerOf } from '../../lib/marker.ts';
import { pathOf, tenth } from '../../lib/path.ts';
import { frameOf, type Place, type PlotAxes, type PlotSize, placeOf, plotAxis, type Shape } from '../../lib/plot.ts';
import type { Interval } from '../../stats/index.ts';
import { type Frontier, type FrontierMark, REMOVED_AT_LEAST, ranked } from './frontier.ts';

/** Colour and shape show which labels a model needs. */
const LOOKS: Record<Labels, MarkerLook> = {
  none: { color: 'var(--arm-vermillion)', marker: 'circle' },
  trusted: { color: 'var(--arm-green)', marker: 'diamond' },
  pairs: { color: 'var(--arm-blue)', marker: 'square' },
  flaws: { color: 'var(--arm-sky)', marker: 'star' },
  oracle: { color: 'var(--arm-purple)', marker: 'triangle' },
  all: { color: 'var(--arm-grey)', marker: 'square' },
};
const OTHER: MarkerLook = { color: 'var(--arm-amber)', marker: 'triangle' };
const WAY = LOOKS.none;

const lookOf = ({ labels, role }: FrontierMark): MarkerLook => ({
  ...(labels ? LOOKS[labels] : OTHER),
  ...(role === 'corner' ? { color: 'var(--ink)' } : {}),
  hollow: role === 'placebo',
});

export interface LegendEntry {
  id: string;
  label: string;
  look: MarkerLook;
}

/** Entries for the marks that are drawn. */
export function legendOf({ marks }: Frontier): LegendEntry[] {
  const plain = marks.filter(({ role }) => role === 'method');
  const needed = LABELS.filter((one) => plain.some(({ labels }) => labels === one)).map((one) => ({
    id: one,
    label: `labels: ${LABEL_WORDS[one]}`,
    look: LOOKS[one],
  }));
  const entry = (id: string, label: string, look: MarkerLook, isThere: (mark: FrontierMark) => boolean) =>
    marks.some(isThere) ? [{ id, label, look }] : [];
  return [
    ...needed,
    ...entry('earlier', 'earlier arms', OTHER, ({ labels }) => labels === null),
    ...entry('placebo', 'placebos (hollow)', { ...LOOKS.trusted, hollow: true }, ({ role }) => role === 'placebo'),
    ...entry('along', 'interpolation from the base (line)', WAY, ({ role }) => role === 'along'),
    ...entry('corner', 'simple baselines', { ...WAY, color: 'var(--ink)' }, ({ role }) => role === 'corner'),
  ];
}

export interface PictureOptions extends PlotSize {
  /** Number of best methods whose names are shown. */
  named: number;
  /** Id of the highlighted mark. */
  chosen?: string | null;
}

export interface Picture {
  shapes: Shape[];
  /** Positions in pixels. */
  marks: { id: string; x: number; y: number }[];
}

export const KEPT = 'kept of what honest training teaches';
export const REMOVED = 'hack removed';

/** Limits of the axes; a ratio beyond them is drawn at the frame's edge. */
const FURTHEST = { low: -0.5, high: 1.5 } as const;

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

function axesOf(marks: readonly FrontierMark[]): PlotAxes {
  const axis = (label: string, of: (mark: FrontierMark) => number) => {
    const values = marks.map((mark) => clamp(of(mark), FURTHEST.low, FURTHEST.high));
    const around = axisAround(values, { low: 0, high: 1 });
    return { ...plotAxis(label, around, (at) => `${Math.round(100 * at)}%`), inset: 10 };
  };
  const removed = axis(REMOVED, (mark) => mark.removed);
  // Most good methods are at the top, where their names need room.
  return { x: axis(KEPT, ({ kept }) => kept), y: { ...removed, high: removed.high + 0.12 } };
}

/** Marks whose position is outside the frame. */
export const marksOutside = ({ marks }: Frontier): FrontierMark[] =>
  marks.filter(({ kept, removed }) => [kept, removed].some((at) => at < FURTHEST.low || at > FURTHEST.high));

export function pictureOf(frontier: Frontier, { named, chosen = null, ...size }: PictureOptions): Picture {
  const { marks, ways, links } = frontier;
  const axes = axesOf(marks);
  const place = placeOf(size, axes);
  const at = ({ kept, removed }: FrontierMark) =>
    [clamp(place.x(kept), place.left, place.right), clamp(place.y(removed), place.top, place.bottom)] as const;
  const byId = new Map(marks.map((mark) => [mark.id, mark]));
  const points = (ids: readonly string[]) => ids.flatMap((id) => (byId.has(id) ? [at(byId.get(id)!)] : []));
  const shown = namedMarks(frontier, named, chosen);
  const isNamed = new Set(shown.map(({ id }) => id));
  const bar = tenth(place.y(REMOVED_AT_LEAST));
  return {
    shapes: [
      ...frameOf(axes, size, place),
      { d: `M${place.left} ${bar}H${place.right}`, stroke: 'var(--good)', strokeDasharray: '2 4' },
      ...ways.map((way, i) => ({
        d: pathOf(points(way)),
        stroke: wayColor(byId.get(way[1])),
        strokeWidth: i === 0 ? 2 : 1.2,
        strokeDasharray: '5 3',
        opacity: i === 0 ? 1 : 0.5,
      })),
      ...links.map((ids) => ({
        d: pathOf(points(ids)),
        stroke: 'var(--line-2)',
        strokeDasharray: '1 3',
        strokeWidth: ids.includes(chosen ?? '') ? 2 : 1,
      })),
      ...marks.flatMap((mark) => barsOf(mark, at(mark), place, mark.id === chosen, isNamed.has(mark.id))),
      ...ORDER.flatMap((role) => marks.filter((mark) => mark.role === role)).map((mark) =>
        markerOf(lookOf(mark), ...at(mark), RADIUS[mark.role]),
      ),
      ...(byId.has(chosen ?? '') ? [ring(at(byId.get(chosen!)!))] : []),
      ...labelsOf(shown, marks, at, place),
    ],
    marks: marks.map((mark) => ({ id: mark.id, x: at(mark)[0], y: at(mark)[1] })),
  };
}

const wayColor = (first: FrontierMark | undefined): string => (first ? lookOf(first) : WAY).color;

/** Roles in drawing order, the lowest layer first. */
const ORDER = ['along', 'placebo', 'method', 'corner'] as const;
const RADIUS = { along: 3.2, placebo: 4, method: 5.5, corner: 6.5 } as const;

const ring = ([x, y]: readonly [number, number]): Shape => {
  const circle = markerOf({ marker: 'circle', color: 'var(--ink)' }, x, y, 10);
  return { ...circle, fill: 'none', stroke: 'var(--ink)', strokeWidth: 1.6 } as Shape;
};

/** Bars are cut at the frame, since an interval of a ratio may be wide. They are faint unless the mark is named or highlighted. */
function barsOf(
  { bars, role }: FrontierMark,
  [x, y]: readonly [number, number],
  { left, right, top, bottom, ...place }: Place,
  isChosen: boolean,
  isNamed: boolean,
): Shape[] {
  if (role === 'along' && !isChosen) return [];
  const ends = (interval: Interval, of: (value: number) => number, low: number, high: number) =>
    [interval.low, interval.high].map((value) => tenth(clamp(of(value), low, high)));
  const across = bars.kept && ends(bars.kept, place.x, left, right);
  const up = bars.removed && ends(bars.removed, place.y, top, bottom);
  const d = [across ? `M${across[0]} ${tenth(y)}H${across[1]}` : '', up ? `M${tenth(x)} ${up[0]}V${up[1]}` : ''].join(
    '',
  );
  if (d === '') return [];
  const faint = role === 'placebo' ? 0.18 : 0.3;
  return [{ d, stroke: 'var(--ink-2)', strokeWidth: isChosen ? 2 : 1, opacity: isChosen ? 1 : isNamed ? 0.6 : faint }];
}

/** Marks in the order in which their names get room: the highlighted one, the corners, the best methods, trusted problems alone. */
function namedMarks(frontier: Frontier, named: number, chosen: string | null): FrontierMark[] {
  const { marks } = frontier;
  const labelledMarks = [
    ...marks.filter(({ id }) => id === chosen),
    ...marks.filter(({ role }) => role === 'corner'),
    ...ranked(frontier).slice(0, named),
    ...marks.filter(({ id }) => id === 'trusted-only total'),
  ];
  return [...new Set(labelledMarks)];
}

const LABEL = {
  fill: 'var(--ink)',
  fontSize: 11,
  fontWeight: 600,
  ...({ paintOrder: 'stroke', stroke: 'var(--surface)', strokeWidth: 3 } as const),
} as const;
/** Approximate width of a letter, in pixels. */
const LETTER = 6.1;
const LINE = 13;
/** Distances from a mark to its name, in pixels; from the second on, a line connects them. */
const REACH = [11, 26, 44, 64] as const;
const SIDES = [
  [1, 0],
  [-1, 0],
  [0.7, -1],
  [0.7, 1],
  [-0.7, -1],
  [-0.7, 1],
  [0, -1.1],
  [0, 1.1],
] as const;

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
const overlap = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Places each name near its mark, over no other name and over as few marks as possible; a name without room is left out. */
function labelsOf(
  named: readonly FrontierMark[],
  marks: readonly FrontierMark[],
  at: (mark: FrontierMark) => readonly [number, number],
  { left, right, top, bottom }: Place,
): Shape[] {
  const dots = marks.map((mark): Box => {
    const [x, y] = at(mark);
    const r = RADIUS[mark.role];
    return { left: x - r, right: x + r, top: y - r, bottom: y + r };
  });
  const placed: Box[] = [];
  return named.flatMap((mark): Shape[] => {
    const [x, y] = at(mark);
    const width = LETTER * mark.name.length;
    const rooms = REACH.flatMap((reach, far) =>
      SIDES.map(([dx, dy]) => {
        const from = dx === 0 ? x - width / 2 : dx > 0 ? x + reach * dx : x + reach * dx - width;
        const middle = y + reach * dy;
        const box = { left: from, right: from + width, top: middle - LINE / 2, bottom: middle + LINE / 2 };
        return { box, far, dx, middle, covered: dots.filter((dot) => overlap(dot, box)).length };
      }),
    ).filter(
      ({ box }) =>
        box.left > left &&
        box.right <= right &&
        box.top >= top &&
        box.bottom < bottom &&
        !placed.some((one) => overlap(one, box)),
    );
    const best = rooms.toSorted((a, b) => a.covered - b.covered || a.far - b.far)[0];
    if (!best) return [];
    placed.push(best.box);
    const { box, far, dx, middle } = best;
    const end = dx === 0 ? x : dx > 0 ? box.left - 2 : box.right + 2;
    return [
      ...(far > 0
        ? [
            {
              d: pathOf([
                [x, y],
                [end, middle],
              ]),
              stroke: 'var(--line-2)',
            },
          ]
        : []),
      {
        text: mark.name,
        x: tenth(dx === 0 ? x : dx > 0 ? box.left : box.right),
        y: tenth(middle + 4),
        ...LABEL,
        textAnchor: dx === 0 ? 'middle' : dx > 0 ? 'start' : 'end',
      },
    ];
  });
}
