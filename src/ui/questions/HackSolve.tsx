// Hack against solve: every cell of the question at its mean, its seeds faint. Down and right is better.
import { useMemo } from 'react';
import type { Sheet } from '../../experiments/kinds/study/sheet.ts';
import type { StudyCell } from '../../experiments/kinds/study/types.ts';
import { type Axis, axisOf, hackSolveMarks, type Mark, panelOf } from '../../store/kinds/study/chart.ts';
import { Swatch } from '../charts/Legend.tsx';
import { Plot } from './Plot.tsx';
import { point } from './words.tsx';

/** One panel for each held-out mode or draw, all to the same scale; one for all where the question has none. */
export function HackSolves({ sheet }: { sheet: Sheet }) {
  const panels = [...new Set(sheet.question.cells.flatMap((cell) => panelOf(cell) ?? []))];
  const axes = useMemo(() => axesOf(hackSolveMarks(sheet)), [sheet]);
  if (panels.length < 2) return <HackSolve sheet={sheet} />;
  return (
    <div className="question-panels">
      {panels.map((panel) => (
        <HackSolve
          key={panel}
          id={panel.replace(' ', '-')}
          sheet={sheet}
          title={`Hack against solve, ${panel}`}
          includes={(cell) => panelOf(cell) === panel}
          axes={axes}
        />
      ))}
    </div>
  );
}

interface Axes {
  x: Axis;
  y: Axis;
}

function axesOf(marks: readonly Mark[]): Axes {
  const all = marks.flatMap((mark) => [mark, ...mark.seeds]);
  const y = axisOf(
    all.map((mark) => mark.y),
    { low: 0 },
  );
  return { x: axisOf(all.map((mark) => mark.x)), y };
}

interface HackSolveProps {
  sheet: Sheet;
  title?: string;
  /** Which cells; all without it. */
  includes?: (cell: StudyCell) => boolean;
  /** Those of several panels; its own without them. */
  axes?: Axes;
  /** Among several panels of a question. */
  id?: string;
}

export function HackSolve({ sheet, title = 'Hack against solve', includes, axes, id }: HackSolveProps) {
  const marks = useMemo(() => hackSolveMarks(sheet, includes), [sheet, includes]);
  if (marks.length === 0) return null;
  const { x, y } = axes ?? axesOf(marks);
  return (
    <figure className="question-chart" data-testid={`chart-${sheet.question.id}${id ? `-${id}` : ''}`}>
      <figcaption>
        <h3>{title}</h3>
        <p>Final evaluation, mean over seeds, each seed faint. Lower right is better. Numbers are the table’s lines.</p>
      </figcaption>
      <Plot description={`${title}. ${described(marks)}`} marks={marks} x={x} y={y} xLabel="solve" yLabel="hack" />
      <MarkLegend marks={marks} />
    </figure>
  );
}

const described = (marks: readonly Mark[]): string =>
  marks.map(({ number, label, x, y }) => `${number}, ${label}: hack ${point(y)}%, solve ${point(x)}%`).join('; ');

export function MarkLegend({ marks }: { marks: readonly Mark[] }) {
  return (
    <ul className="legend" aria-label="Marks in this chart">
      {marks.map((mark) => (
        <li key={mark.id}>
          <span className="question-number num">{mark.number}</span>
          <Swatch entry={mark} />
          <span>{mark.label}</span>
          <span className="muted num">n = {mark.n}</span>
        </li>
      ))}
    </ul>
  );
}
