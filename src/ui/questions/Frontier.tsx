// Q18's plot: of every intervention the share of the honest gain that it keeps, and the share of the hack that it removes; base
// and honest-only are the corners, the widths k a line. Where honest problems taught nothing there is nothing to keep, and the
// panel shows hack against solve.
import { useMemo } from 'react';
import type { Sheet } from '../../experiments/kinds/study/sheet.ts';
import type { StudyCell } from '../../experiments/kinds/study/types.ts';
import { axisOf, frontiers, type Frontier as Panel } from '../../store/kinds/study/chart.ts';
import { shareName } from '../../store/kinds/study/groups.ts';
import { HackSolve, MarkLegend } from './HackSolve.tsx';
import { type Place, Plot } from './Plot.tsx';
import { point } from './words.tsx';

/** What the hypothesis asks for of both. */
const HALF = 0.5;

export function Frontier({ sheet }: { sheet: Sheet }) {
  const panels = useMemo(() => frontiers(sheet), [sheet]);
  return (
    <div className="frontiers">
      {panels.map((panel) => (
        <PanelOf key={panel.share} panel={panel} sheet={sheet} />
      ))}
    </div>
  );
}

function PanelOf({ panel: { share, marks, line }, sheet }: { panel: Panel; sheet: Sheet }) {
  const includes = useMemo(() => (cell: StudyCell) => cell.id.endsWith(`@${share}`), [share]);
  if (!marks) return <HackSolve sheet={sheet} title={`Hack against solve, ${shareName(share)}`} includes={includes} />;
  const corner = { low: 0, high: 1 };
  const x = axisOf(
    marks.map((mark) => mark.x),
    corner,
  );
  const y = axisOf(
    marks.map((mark) => mark.y),
    corner,
  );
  const figures = marks
    .map((mark) => `${mark.number}, ${mark.label}: keeps ${point(mark.x)}%, removes ${point(mark.y)}%`)
    .join('; ');
  const asked = (place: Place) => (
    <g className="plot-asked">
      <rect
        x={place.x(HALF)}
        y={place.y(y.high)}
        width={place.x(x.high) - place.x(HALF)}
        height={place.y(HALF) - place.y(y.high)}
      />
      <text x={place.x(x.high) - 6} y={place.y(HALF) - 7} textAnchor="end">
        at least half of both
      </text>
    </g>
  );
  return (
    <figure className="question-chart" data-testid={`frontier-${share}`}>
      <figcaption>
        <h3>Frontier, {shareName(share)}</h3>
        <p>
          Upper right is better: the hack gone, the honest gain kept. The line joins the widths k of route (update).
          Numbers are the table’s lines.
        </p>
      </figcaption>
      <Plot
        description={`Frontier, ${shareName(share)}. ${figures}`}
        marks={marks}
        x={x}
        y={y}
        xLabel="honest gain kept"
        yLabel="hack removed"
        line={line}
        behind={asked}
      />
      <MarkLegend marks={marks} />
    </figure>
  );
}
