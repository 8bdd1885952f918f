// Lines over a few named points (revisions, attempts), each with a band. Lines can be hidden. The tables also contain all values.
import { useState } from 'react';
import type { LineChart } from '../../experiments/judge/figures.ts';
import { axisAround } from '../../lib/axis.ts';
import { three } from '../../lib/numbers.ts';
import { plotAxis } from '../../lib/plot.ts';
import { questionCsv } from '../../store/findings/chart-csv.ts';
import { armStyle, BASE_STYLE, distinctLooks } from '../../store/runs/arm-style.ts';
import { BandMark, LineMark } from '../charts/marks.tsx';
import { PlotFigure } from '../charts/PlotFigure.tsx';

export function LineFigure({ id, chart }: { id: string; chart: LineChart }) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const { title, at, x, y } = chart;
  const look = distinctLooks();
  const lines = chart.lines.map(({ label, arm, n, mean, low, high }) => ({
    id: label,
    label,
    n,
    style: look(arm === 'base' ? BASE_STYLE : armStyle(arm)),
    points: mean.flatMap((value, i) => (value === null ? [] : [{ x: i, y: value }])),
    edges: at.flatMap((_, i) => {
      const [bottom, top] = [low?.[i] ?? null, high?.[i] ?? null];
      return bottom === null || top === null ? [] : [{ x: i, low: bottom, high: top }];
    }),
  }));
  // The axis spans all lines, so that hiding one does not move the others.
  const all = lines.flatMap(({ points, edges }) => [
    ...points.map((point) => point.y),
    ...edges.flatMap((edge) => [edge.low, edge.high]),
  ]);
  const seen = lines.filter(({ label }) => !hidden.has(label));
  const sentences = seen.map(({ label, points }) => {
    return `${label}: ${points.map((point) => `${at[point.x]}: ${three(point.y)}`).join(', ')}`;
  });
  const places = { low: 0, high: Math.max(1, at.length - 1), ticks: at.map((_, i) => i) };
  return (
    <PlotFigure
      id={`chart-${id}`}
      title={title}
      about={`Band: ${chart.band}.`}
      height={300}
      description={`${title}. ${sentences.join('; ')}`}
      x={{ ...plotAxis(x, places, (i) => at[i]), inset: 8 }}
      y={plotAxis(y, axisAround(all, { least: 0.1 }), (tick) => tick.toFixed(2).replace(/^0/, ''))}
      legend={lines}
      hidden={hidden}
      onHidden={setHidden}
      csv={() => questionCsv(chart)}
    >
      {(place) => (
        <>
          {seen.map(({ label, edges, style }) => (
            <BandMark key={label} edges={edges} color={style.color} place={place} />
          ))}
          {seen.map(({ label, points, style }) => (
            <g key={label} data-line={label}>
              <LineMark
                {...{ points, style, place }}
                words={(point) => `${label}, ${at[point.x]}: ${three(point.y)}`}
              />
            </g>
          ))}
        </>
      )}
    </PlotFigure>
  );
}
