// Rows of a question's table as marks: colour and shape as in all charts, the number as in the table beside it. A panel for each part of
// a question of many.
import { useMemo } from 'react';
import type { MarkAxis, MarkChart, MarkPanel, Table } from '../../experiments/questions/types.ts';
import { axisOf } from '../../store/findings/axis.ts';
import { type ArmStyle, modelStyle } from '../../store/runs/arm-style.ts';
import { Swatch } from '../charts/Legend.tsx';
import { MarkerShape } from '../charts/MarkerShape.tsx';
import { Frame, type FrameAxis, type Place } from './Frame.tsx';
import { point } from './words.tsx';

const HEIGHT = 340;
const PAD = { left: 46, right: 18, top: 12, bottom: 40 };
const RADIUS = 6;

type Styled = MarkPanel['marks'][number] & { label: string; style: ArmStyle };

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
  /** The panels that its axes are of. */
  axes: readonly MarkPanel[];
  table: Table;
}

function MarkFigure({ id, panel, axes, table }: MarkFigureProps) {
  const { title, about, line, asked } = panel;
  const [x, y] = useMemo(() => [frameAxis(axes, 0), frameAxis(axes, 1)], [axes]);
  const marks = panel.marks.map((mark): Styled => {
    const [label] = table.rows[mark.row - 1];
    const look = table.marks?.[mark.row - 1]?.look ?? { arm: 'none' as const, model: 'total' };
    return { ...mark, label, style: modelStyle(look) };
  });
  const said = marks.map(
    ({ row, label, x: at, y: up }) => `${row}, ${label}: ${panel.y.verb} ${point(up)}%, ${panel.x.verb} ${point(at)}%`,
  );
  return (
    <figure className="question-chart" data-testid={`chart-${id}`}>
      <figcaption>
        <h3>{title}</h3>
        <p>{about}</p>
      </figcaption>
      <Frame height={HEIGHT} pad={PAD} description={`${title}. ${said.join('; ')}`} x={x} y={y}>
        {(place) => (
          <>
            {asked ? <Asked asked={asked} place={place} /> : null}
            <Marks marks={marks} line={line} place={place} />
          </>
        )}
      </Frame>
      <ul className="legend" aria-label="Marks in this chart">
        {marks.map((mark) => (
          <li key={mark.row}>
            <span className="question-number num">{mark.row}</span>
            <Swatch entry={mark} />
            <span>{mark.label}</span>
            <span className="muted num">n = {mark.n}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Of all marks and units of the panels. */
function frameAxis(panels: readonly MarkPanel[], of: 0 | 1): FrameAxis {
  const { label, low, high }: MarkAxis = panels[0][of === 0 ? 'x' : 'y'];
  const values = panels.flatMap(({ marks }) =>
    marks.flatMap(({ x, y, each }) => [[x, y][of], ...each.map((one) => one[of])]),
  );
  const { ticks, ...ends } = axisOf(values, { low, high });
  const text = (at: number) => `${Math.round(100 * at)}%`.replace('-', '−');
  return { label, ...ends, ticks: ticks.map((at) => ({ at, text: text(at) })) };
}

function Asked({ asked: { x, y, label }, place }: { asked: NonNullable<MarkPanel['asked']>; place: Place }) {
  const [left, bottom] = [place.x(x), place.y(y)];
  return (
    <g className="plot-asked">
      <rect x={left} y={place.top} width={place.right - left} height={bottom - place.top} />
      <text x={place.right - 6} y={bottom - 7} textAnchor="end">
        {label}
      </text>
    </g>
  );
}

function Marks({ marks, line, place }: { marks: readonly Styled[]; line: readonly number[]; place: Place }) {
  const at = ({ x, y }: { x: number; y: number }) => [place.x(x), place.y(y)] as const;
  const joined = line.flatMap((row) => marks.find((mark) => mark.row === row) ?? []);
  const labels = placeLabels(marks.map(at), place);
  return (
    <>
      {joined.length > 1 ? (
        <path
          className="plot-line"
          d={joined.map((mark, i) => `${i ? 'L' : 'M'}${at(mark).join(' ')}`).join('')}
          stroke={joined[0].style.color}
        />
      ) : null}
      <g className="plot-seeds">
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
        <g key={mark.row} className="plot-number">
          {labels[i].far ? <line x1={place.x(mark.x)} y1={place.y(mark.y)} x2={labels[i].x} y2={labels[i].y} /> : null}
          <text x={labels[i].x} y={labels[i].y + 4} textAnchor="middle">
            {mark.row}
          </text>
        </g>
      ))}
    </>
  );
}

interface Label {
  x: number;
  y: number;
  /** So far from its mark that a line must lead to it. */
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
/** Distances from the mark at which a place is looked for, in pixels. */
const REACH = [11, 19, 28, 38] as const;
const NEAR = 22;

/** The first place near each mark where its number covers no mark and no other number. */
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
