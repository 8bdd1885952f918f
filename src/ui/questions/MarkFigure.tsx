// Rows of a question's table as marks, with colour and shape as in all charts, and numbered as in the table beside them. A question with
// several parts has a panel for each part.
import { useMemo } from 'react';
import type { MarkAxis, MarkChart, MarkPanel, Table } from '../../experiments/judge/figures.ts';
import { axisAround } from '../../lib/axis.ts';
import { percent } from '../../lib/numbers.ts';
import { pathOf } from '../../lib/path.ts';
import { type Place, type PlotAxis, plotAxis } from '../../lib/plot.ts';
import { marksCsv } from '../../store/findings/chart-csv.ts';
import { type ArmStyle, modelStyle } from '../../store/runs/arm-style.ts';
import { PlotFigure } from '../charts/PlotFigure.tsx';
import { MarkerShape } from '../charts/Shapes.tsx';

const RADIUS = 6;

type StyledMark = MarkPanel['marks'][number] & { label: string; style: ArmStyle };

export function MarkFigures({
  id,
  chart: { panels, isShared },
  table,
}: {
  id: string;
  chart: MarkChart;
  table: Table;
}) {
  const all = isShared ? panels : null;
  const drawn = panels.filter(({ marks }) => marks.length > 0);
  const figures = drawn.map((panel) => (
    <MarkFigure
      key={panel.id}
      id={panel.id ? `${id}-${panel.id}` : id}
      panel={panel}
      axes={all ?? [panel]}
      table={table}
    />
  ));
  return drawn.length > 1 && isShared ? <div className="question-panels">{figures}</div> : figures;
}

interface MarkFigureProps {
  id: string;
  panel: MarkPanel;
  /** The panels whose values the axes span. */
  axes: readonly MarkPanel[];
  table: Table;
}

function MarkFigure({ id, panel, axes, table }: MarkFigureProps) {
  const { title, about, line, asked } = panel;
  const [x, y] = useMemo(() => [axisOver(axes, 0), axisOver(axes, 1)], [axes]);
  const marks = panel.marks.map((mark): StyledMark => {
    const [label] = table.rows[mark.row - 1];
    const look = table.marks?.[mark.row - 1]?.look ?? { arm: 'none' as const, model: 'total' };
    return { ...mark, label, style: modelStyle(look) };
  });
  const sentences = marks.map(
    ({ row, label, x: at, y: up }) =>
      `${row}, ${label}: ${panel.y.verb} ${percent(up)}, ${panel.x.verb} ${percent(at)}`,
  );
  return (
    <PlotFigure
      id={`chart-${id}`}
      title={title}
      about={about}
      height={340}
      description={`${title}. ${sentences.join('; ')}`}
      x={x}
      y={y}
      legend={marks.map(({ row, label, style, n }) => ({ id: String(row), number: row, label, style, n }))}
      isMarks
      csv={() => marksCsv(panel, table)}
    >
      {(place) => (
        <>
          {asked ? <RuleTarget asked={asked} place={place} /> : null}
          <Marks marks={marks} line={line} place={place} />
        </>
      )}
    </PlotFigure>
  );
}

/** An axis that spans all marks and units of the panels. */
function axisOver(panels: readonly MarkPanel[], of: 0 | 1): PlotAxis {
  const { label, low, high }: MarkAxis = panels[0][of === 0 ? 'x' : 'y'];
  const values = panels.flatMap(({ marks }) =>
    marks.flatMap(({ x, y, each }) => [[x, y][of], ...each.map((one) => one[of])]),
  );
  return plotAxis(label, axisAround(values, { low, high, least: 0.1 }), (at) => `${Math.round(100 * at)}%`);
}

function RuleTarget({ asked: { x, y, label }, place }: { asked: NonNullable<MarkPanel['asked']>; place: Place }) {
  const [left, bottom] = [place.x(x), place.y(y)];
  return (
    <g fill="var(--good)" fontSize={11}>
      <rect
        x={left}
        y={place.top}
        width={place.right - left}
        height={bottom - place.top}
        fill="var(--good-soft)"
        opacity={0.6}
        stroke="var(--good)"
        strokeDasharray="4 3"
      />
      <text x={place.right - 6} y={bottom - 7} textAnchor="end">
        {label}
      </text>
    </g>
  );
}

function Marks({ marks, line, place }: { marks: readonly StyledMark[]; line: readonly number[]; place: Place }) {
  const at = ({ x, y }: { x: number; y: number }) => [place.x(x), place.y(y)] as const;
  const joined = line.flatMap((row) => marks.find((mark) => mark.row === row) ?? []);
  const labels = placeLabels(marks.map(at), place);
  return (
    <>
      {joined.length > 1 ? (
        <path
          fill="none"
          strokeWidth={1.5}
          strokeDasharray="5 2 2 2"
          d={pathOf(joined.map(at))}
          stroke={joined[0].style.color}
        />
      ) : null}
      <g opacity={0.38}>
        {marks.flatMap(({ row, each, style: { marker, color, hollow } }) =>
          each.map(([x, y], i) => (
            <MarkerShape
              // biome-ignore lint/suspicious/noArrayIndexKey: two units may lie at one place; their order does not change
              key={`${row} ${i}`}
              {...{ marker, color, hollow, cx: place.x(x), cy: place.y(y), r: 3.2 }}
            />
          )),
        )}
      </g>
      {marks.map(({ row, label, x, y, style: { marker, color, hollow } }) => (
        <g key={row} data-mark={row}>
          <title>{label}</title>
          <MarkerShape {...{ marker, color, hollow, cx: place.x(x), cy: place.y(y), r: RADIUS }} />
        </g>
      ))}
      {marks.map((mark, i) => (
        <g key={mark.row}>
          {labels[i].far ? <path d={pathOf([at(mark), [labels[i].x, labels[i].y]])} stroke="var(--line-2)" /> : null}
          <text x={labels[i].x} y={labels[i].y + 4} {...NUMBER}>
            {mark.row}
          </text>
        </g>
      ))}
    </>
  );
}

/** Style of a mark's number, with an outline so that it is legible over other marks. */
const NUMBER = {
  textAnchor: 'middle',
  fill: 'var(--ink)',
  fontSize: 12,
  fontWeight: 650,
  paintOrder: 'stroke',
  stroke: 'var(--surface)',
  strokeWidth: 3,
} as const;

interface Label {
  x: number;
  y: number;
  /** Whether the number is so far from its mark that a line must connect them. */
  far: boolean;
}

const DIRECTIONS = [
  [1, -1],
  [1, 1],
  [-1, -1],
  [-1, 1],
  [1.3, 0],
  [-1.3, 0],
  [0, -1.3],
  [0, 1.3],
] as const;
/** Distances from the mark at which a free position is searched, in pixels. */
const REACH = [11, 19, 28, 38] as const;
const NEAR = 22;

/** For each mark, the first position near it at which its number covers no mark and no other number. */
function placeLabels(
  points: readonly (readonly [number, number])[],
  { left, right, top, bottom }: Pick<Place, 'left' | 'right' | 'top' | 'bottom'>,
): Label[] {
  const placed: Label[] = [];
  for (const [px, py] of points) {
    const candidates = REACH.flatMap((reach) =>
      DIRECTIONS.map(([dx, dy]) => ({ x: px + dx * reach, y: py + dy * reach, far: reach > NEAR })),
    );
    const inside = candidates.filter(({ x, y }) => x > left + 4 && x < right && y > top && y < bottom - 4);
    const free = inside.find(
      ({ x, y }) =>
        placed.every((other) => Math.abs(other.x - x) > 15 || Math.abs(other.y - y) > 12) &&
        points.every(([qx, qy]) => Math.abs(qx - x) > 12 || Math.abs(qy - y) > 11),
    );
    placed.push(free ?? inside[0] ?? candidates[0]);
  }
  return placed;
}
