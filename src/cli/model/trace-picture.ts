// The picture of `trace --out`: a series of adapters over its steps, one panel a question, each with the lines that answer it.
import { axisAround } from '../../lib/axis.ts';
import { markerOf } from '../../lib/marker.ts';
import { pathOf, tenth } from '../../lib/path.ts';
import { frameOf, type PlotAxes, placeOf, plotAxis, type Shape } from '../../lib/plot.ts';
import { svgText } from '../../lib/svg.ts';
import type { Answered } from './trace-answers.ts';

export interface Row {
  adapter: string;
  r: number;
  modules: number;
  norm: number;
  moved: number | null;
  cosBefore: number | null;
  /** Null of the base itself. */
  cosLast: number | null;
  basis: { onDirections: number; inBasis: number; byChance: number } | null;
  /** Null without --problems. */
  answers: Answered | null;
}

export interface Traced {
  rows: readonly Row[];
  /** Answers of the base itself; null without --problems. */
  base: Answered | null;
}

const WIDTH = 880;
const PANEL = 230;
const [TITLE, LEGEND] = [34, 20];
const TEXT = { fill: 'var(--ink)', fontSize: 12 } as const;
/** Mean width of a letter, about. */
const LETTER = 6.3;

interface Line {
  name: string;
  colour: string;
  of(row: Row): number | null;
  /** The base stands here, as a dashed line of the same colour. */
  base?: number;
}

interface Panel {
  label: string;
  /** Ends of the axis that it has in any case. */
  low?: number;
  high?: number;
  /** Least width of the axis: cosines may differ in their last digits alone. */
  least?: number;
  lines: readonly Line[];
}

const BLUE = 'var(--arm-blue)';
const GREEN = 'var(--arm-green)';
const RED = 'var(--arm-vermillion)';
const GREY = 'var(--arm-grey)';

function panelsOf({ rows, base }: Traced): Panel[] {
  const panels: Panel[] = [
    {
      label: 'norm',
      low: 0,
      lines: [
        { name: '‖ΔW‖ of the update', colour: BLUE, of: ({ norm }) => norm },
        { name: 'moved since the one before', colour: GREEN, of: ({ moved }) => moved },
      ],
    },
    {
      label: 'cosine',
      high: 1,
      least: 0.1,
      lines: [
        { name: 'to the update before', colour: GREEN, of: ({ cosBefore }) => cosBefore },
        { name: 'to the last', colour: BLUE, of: ({ cosLast }) => cosLast },
      ],
    },
  ];
  if (rows.some((row) => row.basis !== null))
    panels.push({
      label: 'share of ‖ΔW‖²',
      low: 0,
      lines: [
        { name: 'in the hack basis', colour: RED, of: ({ basis }) => basis?.inBasis ?? null },
        { name: 'by chance', colour: GREY, of: ({ basis }) => basis?.byChance ?? null },
      ],
    });
  if (base !== null)
    panels.push({
      label: 'share of answers',
      low: 0,
      lines: [
        { name: 'hack', colour: RED, of: ({ answers }) => answers?.hack ?? null, base: base.hack },
        { name: 'solve', colour: GREEN, of: ({ answers }) => answers?.solve ?? null, base: base.solve },
        { name: 'paid', colour: BLUE, of: ({ answers }) => answers?.paid ?? null, base: base.paid },
      ],
    });
  return panels;
}

/** Steps of checkpoints where all names have one, places in the series otherwise. */
function stepsOf(rows: readonly Row[]): { label: string; steps: number[] } {
  const steps = rows.map(({ adapter }) => Number(/^checkpoint-(\d+)$/.exec(adapter)?.[1] ?? Number.NaN));
  return steps.every((step, i) => step > (steps[i - 1] ?? -1))
    ? { label: 'step', steps }
    : { label: 'place in the series', steps: rows.map((_, i) => i + 1) };
}

/** @param title what was traced */
export function traceSvg(traced: Traced, title: string): string {
  const panels = panelsOf(traced);
  const height = TITLE + panels.length * (PANEL + LEGEND);
  const words = `${title}: ${panels.flatMap(({ lines }) => lines.map(({ name }) => name)).join(', ')}`;
  const heading: Shape = { ...TEXT, fontSize: 14, fontWeight: 600, x: 14, y: 22, text: title };
  return svgText({ width: WIDTH, height, words, scheme: 'light' }, [
    { top: 0, shapes: [heading] },
    ...panels.flatMap((panel, i) => {
      const top = TITLE + i * (PANEL + LEGEND);
      return [
        { top, shapes: legendOf(panel) },
        { top: top + LEGEND, shapes: shapesOf(panel, traced.rows) },
      ];
    }),
  ]);
}

function legendOf({ lines }: Panel): Shape[] {
  let x = 60;
  return lines.flatMap(({ name, colour, base }): Shape[] => {
    const text = base === undefined ? name : `${name} (dashed: the base)`;
    const left = x;
    x += 44 + LETTER * text.length;
    return [
      { d: `M${left} 12h18`, stroke: colour, strokeWidth: 2 },
      { ...TEXT, x: left + 24, y: 16, text },
    ];
  });
}

function shapesOf({ label, low, high, least, lines }: Panel, rows: readonly Row[]): Shape[] {
  const { label: over, steps } = stepsOf(rows);
  const points = lines.map((line) =>
    rows.flatMap((row, i) => {
      const value = line.of(row);
      return value === null ? [] : [[steps[i], value] as const];
    }),
  );
  const values = [...points.flat().map(([, value]) => value), ...lines.flatMap(({ base }) => base ?? [])];
  const axes: PlotAxes = {
    x: plotAxis(over, axisAround(steps, { least: 1 })),
    y: plotAxis(label, axisAround(values, { low, high, least })),
  };
  const size = { width: WIDTH, height: PANEL, pad: { left: 60 } };
  const place = placeOf(size, axes);
  const drawn = lines.flatMap(({ colour, base }, i): Shape[] => {
    const at = points[i].map(([step, value]) => [place.x(step), place.y(value)] as const);
    const level = base === undefined ? [] : [`M${place.left} ${tenth(place.y(base))}H${place.right}`];
    return [
      ...level.map((d) => ({ d, stroke: colour, strokeWidth: 1.2, strokeDasharray: '4 4' })),
      { d: pathOf(at), stroke: colour, strokeWidth: 2, strokeLinecap: 'round' },
      ...at.map((point) => markerOf({ marker: 'circle', color: colour }, point[0], point[1], 3.5)),
    ];
  });
  return [...frameOf(axes, size, place), ...drawn];
}
