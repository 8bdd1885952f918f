// Lines over a few named places (revisions, attempts), with a band each. Plain SVG at the width that the page gives; a line can be
// hidden, and all of it stands in the tables too.
import { useState } from 'react';
import { three } from '../../../experiments/questions/numbers.ts';
import type { Line, LineChart } from '../../../experiments/questions/types.ts';
import { axisOf } from '../../../store/kinds/study/chart.ts';
import { type ArmStyle, armStyle, BASE_STYLE, distinctLooks } from '../../../store/runs/arm-style.ts';
import { Swatch } from '../../charts/Legend.tsx';
import { MarkerShape } from '../../charts/MarkerShape.tsx';
import { useWidth } from '../../parts/use-width.ts';

const HEIGHT = 300;
const PAD = { left: 44, right: 14, top: 10, bottom: 40 };

type Styled = Line & { style: ArmStyle };

export function LineFigure({ id, chart }: { id: string; chart: LineChart }) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [box, width] = useWidth();
  const look = distinctLooks();
  const lines: Styled[] = chart.lines.map((line) => {
    return { ...line, style: look(line.arm === 'base' ? BASE_STYLE : armStyle(line.arm)) };
  });
  const toggle = (label: string) => {
    const next = new Set(hidden);
    if (!next.delete(label)) next.add(label);
    setHidden(next);
  };
  return (
    <figure className="question-chart" data-testid={`chart-${id}`}>
      <figcaption>
        <h3>{chart.title}</h3>
        <p>Band: {chart.band}.</p>
      </figcaption>
      <div ref={box} className="plot finding-lines">
        {width > 0 ? (
          <Drawing chart={chart} lines={lines.filter(({ label }) => !hidden.has(label))} width={width} />
        ) : null}
      </div>
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

function Drawing({ chart, lines, width }: { chart: LineChart; lines: readonly Styled[]; width: number }) {
  const { at, title, x, y } = chart;
  // Of all lines, so that hiding one moves none.
  const all = chart.lines.flatMap(({ mean, low, high }) => [...mean, ...(low ?? []), ...(high ?? [])]);
  const axis = axisOf(all.filter((value) => value !== null));
  const [right, bottom] = [width - PAD.right, HEIGHT - PAD.bottom];
  const px = (i: number) => PAD.left + 8 + (i / Math.max(1, at.length - 1)) * (right - PAD.left - 16);
  const py = (value: number) => bottom - ((value - axis.low) / (axis.high - axis.low)) * (bottom - PAD.top);
  const path = (values: readonly (number | null)[]) =>
    values.flatMap((value, i) => (value === null ? [] : [`${px(i)} ${py(value)}`]));
  const ends = lines.map(({ label, mean }) => {
    const known = mean.flatMap((value, i) => (value === null ? [] : [`${at[i]}: ${three(value)}`]));
    return `${label}: ${known.join(', ')}`;
  });
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={`${title}. ${ends.join('; ')}`}>
      <g className="plot-axis">
        {axis.ticks.map((tick) => (
          <g key={tick}>
            <line x1={PAD.left} x2={right} y1={py(tick)} y2={py(tick)} className="plot-grid" />
            <text x={PAD.left - 7} y={py(tick) + 4} textAnchor="end">
              {tick.toFixed(2).replace(/^0/, '')}
            </text>
          </g>
        ))}
        {at.map((name, i) => (
          <text key={name} x={px(i)} y={bottom + 16} textAnchor="middle">
            {name}
          </text>
        ))}
        <text x={(PAD.left + right) / 2} y={HEIGHT - 6} textAnchor="middle" className="plot-title">
          {x}
        </text>
        <text
          x={11}
          y={(PAD.top + bottom) / 2}
          transform={`rotate(-90 11 ${(PAD.top + bottom) / 2})`}
          textAnchor="middle"
          className="plot-title"
        >
          {y}
        </text>
      </g>
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
                key={at[i]}
                marker={style.marker}
                cx={px(i)}
                cy={py(value)}
                r={4}
                color={style.color}
                hollow={style.hollow}
              />
            ),
          )}
        </g>
      ))}
    </svg>
  );
}
