// Lines over a few named places (revisions, attempts), with a band each. A line can be hidden, and all of it stands in the tables too.
import { useState } from 'react';
import { three } from '../../experiments/questions/numbers.ts';
import type { Line, LineChart } from '../../experiments/questions/types.ts';
import { axisOf } from '../../store/findings/axis.ts';
import { type ArmStyle, armStyle, BASE_STYLE, distinctLooks } from '../../store/runs/arm-style.ts';
import { Swatch } from '../charts/Legend.tsx';
import { MarkerShape } from '../charts/MarkerShape.tsx';
import { Frame, type Place } from './Frame.tsx';

const HEIGHT = 300;
const PAD = { left: 44, right: 14, top: 10, bottom: 40 };

type Styled = Line & { style: ArmStyle };

export function LineFigure({ id, chart }: { id: string; chart: LineChart }) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const { at, x, y } = chart;
  const look = distinctLooks();
  const lines: Styled[] = chart.lines.map((line) => {
    return { ...line, style: look(line.arm === 'base' ? BASE_STYLE : armStyle(line.arm)) };
  });
  const toggle = (label: string) => {
    const next = new Set(hidden);
    if (!next.delete(label)) next.add(label);
    setHidden(next);
  };
  const seen = lines.filter(({ label }) => !hidden.has(label));
  // Of all lines, so that hiding one moves none.
  const all = chart.lines.flatMap(({ mean, low, high }) => [...mean, ...(low ?? []), ...(high ?? [])]);
  const { ticks, ...ends } = axisOf(all.filter((value) => value !== null));
  const said = seen.map(({ label, mean }) => {
    const known = mean.flatMap((value, i) => (value === null ? [] : [`${at[i]}: ${three(value)}`]));
    return `${label}: ${known.join(', ')}`;
  });
  return (
    <figure className="question-chart" data-testid={`chart-${id}`}>
      <figcaption>
        <h3>{chart.title}</h3>
        <p>Band: {chart.band}.</p>
      </figcaption>
      <Frame
        height={HEIGHT}
        pad={PAD}
        description={`${chart.title}. ${said.join('; ')}`}
        x={{
          label: x,
          low: 0,
          high: Math.max(1, at.length - 1),
          inset: 8,
          ticks: at.map((text, i) => ({ at: i, text })),
        }}
        y={{ label: y, ...ends, ticks: ticks.map((tick) => ({ at: tick, text: tick.toFixed(2).replace(/^0/, '') })) }}
      >
        {(place) => <Lines lines={seen} place={place} />}
      </Frame>
      <ul className="legend curve-legend" aria-label="Lines of this chart">
        {lines.map(({ label, style, n }) => (
          <li key={label}>
            <label>
              <input type="checkbox" checked={!hidden.has(label)} onChange={() => toggle(label)} />
              <Swatch entry={{ style }} />
              <span>{label}</span>
              <span className="muted num">n = {n}</span>
            </label>
          </li>
        ))}
      </ul>
    </figure>
  );
}

function Lines({ lines, place }: { lines: readonly Styled[]; place: Place }) {
  const path = (values: readonly (number | null)[]) =>
    values.flatMap((value, i) => (value === null ? [] : [`${place.x(i)} ${place.y(value)}`]));
  return (
    <>
      {lines.map(({ label, low, high, style }) =>
        low && high ? (
          <path
            key={label}
            className="curve-band"
            d={`M${[...path(high), ...path(low).reverse()].join('L')}Z`}
            fill={style.color}
          />
        ) : null,
      )}
      {lines.map(({ label, mean, style }) => (
        <g key={label} data-line={label}>
          <path className="curve" d={`M${path(mean).join('L')}`} stroke={style.color} strokeDasharray={style.dash} />
          {mean.map((value, i) =>
            value === null ? null : (
              <MarkerShape
                key={place.x(i)}
                marker={style.marker}
                cx={place.x(i)}
                cy={place.y(value)}
                r={4}
                color={style.color}
                hollow={style.hollow}
              />
            ),
          )}
        </g>
      ))}
    </>
  );
}
