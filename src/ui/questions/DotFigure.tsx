// One row per comparison: every unit as a faint dot, the mean, and its 95 % interval as a bar, with vertical lines at 0 and at the bounds
// of the decision rule. The name is above its row, so that it fits on a phone. If names are long, the figures are below the name.
import { intervalText } from '../../experiments/judge/estimate.ts';
import type { DotChart } from '../../experiments/judge/figures.ts';
import { axisAround } from '../../lib/axis.ts';
import { two } from '../../lib/numbers.ts';
import { type Place, plotAxis } from '../../lib/plot.ts';
import { questionCsv } from '../../store/findings/chart-csv.ts';
import { armStyle } from '../../store/runs/arm-style.ts';
import { PlotFigure } from '../charts/PlotFigure.tsx';
import { MarkerShape } from '../charts/Shapes.tsx';

const PAD = { left: 10, right: 10, top: 22, bottom: 40 };
/** Maximum length of a name, in letters, that leaves room for its figures on a phone. */
const SHORT = 30;
/** Layout of a row in pixels: its height, and the offsets of name, figures and dots. */
const ROOM = { row: 42, name: 13, figures: 13, dots: 28 };
const LONG = { row: 56, name: 13, figures: 27, dots: 42 };
const roomOf = (rows: DotChart['rows']) => (rows.some(({ name }) => name.length > SHORT) ? LONG : ROOM);
const TEXT = { fill: 'var(--ink-2)', fontSize: 11 } as const;

export function DotFigure({ id, chart }: { id: string; chart: DotChart }) {
  const { title, x, bounds, rows } = chart;
  const values = rows.flatMap(({ values, mean, interval }) => [
    ...values,
    ...(mean === null ? [] : [mean]),
    ...(interval ? [interval.low, interval.high] : []),
  ]);
  const axis = axisAround([...values, ...bounds.map(({ at }) => at)], { least: 0.1 });
  const sentences = rows.map((row) => `${row.name}: ${intervalText(row)}, n = ${row.n}`);
  return (
    <PlotFigure
      id={`chart-${id}`}
      title={title}
      about="Faint: one each; large: the mean; bar: its 95 % interval."
      height={PAD.top + rows.length * roomOf(rows).row + PAD.bottom}
      pad={PAD}
      description={`${title}. ${sentences.join('; ')}`}
      x={{ ...plotAxis(x, axis, (at) => two(at).replace(/^\.00$/, '0')), inset: 14 }}
      csv={() => questionCsv(chart)}
    >
      {(place) => <Dots chart={chart} place={place} />}
    </PlotFigure>
  );
}

function Dots({
  chart: { bounds, rows },
  place: { x: px, left, right, top, bottom },
}: {
  chart: DotChart;
  place: Place;
}) {
  const room = roomOf(rows);
  return (
    <>
      {bounds.map(({ at, label }) => (
        <g key={label}>
          <line x1={px(at)} x2={px(at)} y1={top - 4} y2={bottom} stroke="var(--ink-3)" strokeDasharray="4 3" />
          <text x={px(at)} y={top - 9} textAnchor="middle" {...TEXT}>
            {label}
          </text>
        </g>
      ))}
      {rows.map((row, i) => {
        const { color, marker, hollow } = armStyle(row.arm);
        const y = top + i * room.row;
        const { low, high } = row.interval ?? {};
        const dot = { marker, color, hollow, cy: y + room.dots };
        return (
          <g key={row.name} data-row={row.name}>
            <text x={left} y={y + room.name} {...NAMED}>
              {row.name}
            </text>
            <text
              {...(room === LONG ? { x: left } : { x: right, textAnchor: 'end' as const })}
              y={y + room.figures}
              {...TEXT}
            >
              {intervalText(row)}
            </text>
            {low === undefined || high === undefined ? null : (
              <path
                d={`M${px(low)} ${y + room.dots}H${px(high)}`}
                stroke={color}
                strokeWidth={2.5}
                strokeLinecap="round"
              />
            )}
            <g opacity={0.6}>
              {row.values.map((value, v) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two units may have one value; their order does not change
                <MarkerShape key={v} {...dot} cx={px(value)} r={3.4} />
              ))}
            </g>
            {row.mean === null ? null : <MarkerShape {...dot} cx={px(row.mean)} r={6} />}
          </g>
        );
      })}
    </>
  );
}

const NAMED = {
  fill: 'var(--ink)',
  fontSize: 12,
  fontWeight: 550,
  paintOrder: 'stroke',
  stroke: 'var(--surface)',
  strokeWidth: 3,
} as const;
