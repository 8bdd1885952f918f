// An environment's profile (environments/metric-info.ts) as a chart: evaluations over a quantity other than the step. Its points are
// equally spaced, because that quantity usually doubles from one point to the next.
import { useMemo } from 'react';
import type { Profile } from '../../environments/metric-info.ts';
import { axisAround } from '../../lib/axis.ts';
import { inBrackets, percent } from '../../lib/numbers.ts';
import { plotAxis } from '../../lib/plot.ts';
import { FEWEST_FOR_INTERVAL } from '../../stats/index.ts';
import { profileCsv, profileLines } from '../../store/charts/profile.ts';
import type { ExperimentView } from '../../store/experiment-view.ts';
import { ErrorBarMark, LineMark } from './marks.tsx';
import { PlotFigure } from './PlotFigure.tsx';

/** `view` is a new object for every event, but its list of runs stays the same object. */
export function ProfileChart({ profile, view }: { profile: Profile; view: ExperimentView }) {
  const lines = useMemo(() => profileLines(view.runs, profile), [view, profile]);
  if (lines.length === 0) return null;
  const { id, title, along, points } = profile;
  const ticks = points.map((_, i) => i);
  const last = points.length - 1;
  const ends = lines.map(({ label, values }) => `${label} ${percent(values[last].mean, 0)}`).join(', ');
  return (
    <PlotFigure
      id={`profile-${id}`}
      title={title}
      about={`${profile.about} Each arm’s latest evaluation${markNote(Math.max(...lines.map(({ n }) => n)))}.`}
      description={`${title}, ${along}. At ${points[last].x}: ${ends}.`}
      x={{ ...plotAxis(along, { low: 0, high: last, ticks }, (i) => String(points[i].x)), inset: 12 }}
      y={plotAxis('', axisAround([0, 1]), (at) => percent(at, 0))}
      legend={lines.map(({ step, n, label, ...line }) =>
        step === 0 ? { ...line, label } : { ...line, label: `${label}, step ${step}`, n },
      )}
      csv={() => profileCsv(profile, lines)}
    >
      {(place) =>
        lines.map(({ id: line, label, style, values }) => {
          const known = values.flatMap(({ mean, interval }, x) => (mean === null ? [] : [{ x, y: mean, interval }]));
          const edges = known.flatMap(({ x, interval }) => (interval === null ? [] : [{ x, ...interval }]));
          return (
            <g key={line} data-line={line}>
              <ErrorBarMark edges={edges} color={style.color} place={place} />
              <LineMark
                {...{ points: known, style, place }}
                words={({ x, y }) => {
                  const { interval } = values[x];
                  return `${label}, ${points[x].x}: ${percent(y)}${inBrackets(interval, percent)}`;
                }}
              />
            </g>
          );
        })
      }
    </PlotFigure>
  );
}

/** Describes the marks; `seeds` is the largest number of seeds of a line. */
function markNote(seeds: number): string {
  if (seeds < 2) return '';
  return seeds < FEWEST_FOR_INTERVAL ? ', mean over seeds' : ', mean over seeds with its 95% t interval';
}
