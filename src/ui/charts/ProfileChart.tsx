// An environment's profile (experiments/environments/profile.ts) as a chart: evaluations over something that is no step. Its points are at equal
// distances, since what lies along the axis mostly doubles from one to the next.
import { useMemo } from 'react';
import { CartesianGrid, ErrorBar, Line, LineChart, Tooltip, XAxis, YAxis } from 'recharts';
import type { Profile } from '../../environments/presentation.ts';
import { percent } from '../../lib/numbers.ts';
import { FEWEST_FOR_INTERVAL } from '../../stats/index.ts';
import { type ProfileLine, profileLines } from '../../store/charts/profile.ts';
import type { ExperimentView } from '../../store/experiment-view.ts';
import { Swatch } from './Legend.tsx';
import { AXIS, CURSOR, markerAt, ROOM, SHARES, VALUE_AXIS } from './recharts.ts';

/** `view`: a new one for every event, its list of runs the same. */
export function ProfileChart({ profile, view }: { profile: Profile; view: ExperimentView }) {
  const lines = useMemo(() => profileLines(view.runs, profile), [view, profile]);
  if (lines.length === 0) return null;
  const id = `profile-${profile.id}`;
  const data = profile.points.map(({ x }, i) => ({
    x: String(x),
    ...Object.fromEntries(lines.map((line) => [line.id, line.values[i].mean])),
    ...Object.fromEntries(lines.map((line) => [`${line.id} ±`, line.values[i].half])),
  }));
  const last = profile.points.length - 1;
  const words = lines.map(({ label, values }) => `${label} ${percent(values[last].mean, 0)}`).join(', ');
  return (
    <figure className="chart" aria-labelledby={id} data-testid={id}>
      <figcaption>
        <h3 id={id}>{profile.title}</h3>
        <p>
          {profile.about} Each arm’s latest evaluation{spread(Math.max(...lines.map(({ n }) => n)))}.
        </p>
        <ul className="legend" aria-label={`Lines of ${profile.title}`}>
          {lines.map((line) => (
            <li key={line.id}>
              <Swatch entry={line} />
              <span>{line.label}</span>
              <span className="muted num">{line.step === 0 ? '' : `step ${line.step}, n = ${line.n}`}</span>
            </li>
          ))}
        </ul>
      </figcaption>
      <LineChart
        responsive
        desc={`${profile.title}, ${profile.along}. At ${profile.points[last].x}: ${words}.`}
        className="chart-body"
        style={{ width: '100%', height: 250 }}
        data={data}
        margin={{ ...ROOM, bottom: 14 }}
      >
        <CartesianGrid stroke="var(--line)" vertical={false} />
        <XAxis
          dataKey="x"
          padding={{ left: 12, right: 12 }}
          label={{ value: profile.along, position: 'insideBottom', offset: -8, fontSize: 11, fill: 'var(--ink-3)' }}
          {...AXIS}
        />
        <YAxis domain={[0, 1]} ticks={SHARES} tickFormatter={(y: number) => percent(y, 0)} {...VALUE_AXIS} />
        <Tooltip
          isAnimationActive={false}
          cursor={CURSOR}
          content={({ active, label }) => (
            <Hover
              active={active}
              at={profile.points.findIndex(({ x }) => String(x) === label)}
              {...{ profile, lines }}
            />
          )}
        />
        {lines.map((line) => (
          <Line
            key={line.id}
            dataKey={line.id}
            type="linear"
            connectNulls
            isAnimationActive={false}
            activeDot={false}
            stroke={line.style.color}
            strokeWidth={2}
            strokeDasharray={line.style.dash}
            dot={markerAt(line.style, 4)}
          >
            <ErrorBar dataKey={`${line.id} ±`} width={4} strokeWidth={1} stroke={line.style.color} opacity={0.6} />
          </Line>
        ))}
      </LineChart>
    </figure>
  );
}

/** What the marks are, by the most seeds of a line. */
function spread(seeds: number): string {
  if (seeds < 2) return '';
  return seeds < FEWEST_FOR_INTERVAL ? ', mean over seeds' : ', mean over seeds with its 95% t interval';
}

interface HoverProps {
  active: boolean;
  /** Place of the point; −1 where the cursor is at none. */
  at: number;
  profile: Profile;
  lines: readonly ProfileLine[];
}

function Hover({ active, at, profile, lines }: HoverProps) {
  if (!active || at < 0) return null;
  return (
    <div className="hover">
      <strong>
        {profile.along}: {profile.points[at].x}
      </strong>
      {lines.map((line) => (
        <span key={line.id}>
          <Swatch entry={line} />
          <span>{line.label}</span>
          <b className="num">
            {percent(line.values[at].mean, 1)}
            {line.values[at].half === null ? null : <i> ± {percent(line.values[at].half, 1)}</i>}
          </b>
        </span>
      ))}
    </div>
  );
}
