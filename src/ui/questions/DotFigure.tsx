// A row for each thing compared: every unit as a faint dot, the mean, its 95 % interval as a bar; upright lines at 0 and at the rule's
// bounds. The name stands above its row, so that a phone has room for it.
import { shown, two } from '../../experiments/questions/numbers.ts';
import type { DotChart } from '../../experiments/questions/types.ts';
import { axisOf } from '../../store/findings/axis.ts';
import { armStyle } from '../../store/runs/arm-style.ts';
import { MarkerShape } from '../charts/MarkerShape.tsx';
import { Frame, type Place } from './Frame.tsx';

const ROW = 42;
const PAD = { left: 10, right: 10, top: 22, bottom: 40 };
/** Of a row: where its name stands, and its dots. */
const [NAME, DOTS] = [13, 28];

export function DotFigure({ id, chart }: { id: string; chart: DotChart }) {
  const { title, x, bounds, rows } = chart;
  const values = rows.flatMap(({ values, mean, interval }) => [
    ...values,
    ...(mean === null ? [] : [mean]),
    ...(interval ? [interval.low, interval.high] : []),
  ]);
  const { ticks, ...ends } = axisOf([...values, ...bounds.map(({ at }) => at)]);
  const said = rows.map((row) => `${row.name}: ${shown(row)}, n = ${row.n}`);
  const text = (at: number) => two(at).replace(/^\.00$/, '0');
  return (
    <figure className="question-chart" data-testid={`chart-${id}`}>
      <figcaption>
        <h3>{title}</h3>
        <p>Faint: one each; large: the mean; bar: its 95 % interval.</p>
      </figcaption>
      <Frame
        height={PAD.top + rows.length * ROW + PAD.bottom}
        pad={PAD}
        description={`${title}. ${said.join('; ')}`}
        x={{ label: x, ...ends, inset: 14, ticks: ticks.map((at) => ({ at, text: text(at) })) }}
      >
        {(place) => <Dots chart={chart} place={place} />}
      </Frame>
    </figure>
  );
}

function Dots({ chart: { bounds, rows }, place: { x: px, right, bottom } }: { chart: DotChart; place: Place }) {
  return (
    <>
      {bounds.map(({ at, label }) => (
        <g key={label} className="finding-bound">
          <line x1={px(at)} x2={px(at)} y1={PAD.top - 4} y2={bottom} />
          <text x={px(at)} y={PAD.top - 9} textAnchor="middle">
            {label}
          </text>
        </g>
      ))}
      {rows.map((row, i) => {
        const { color, marker, hollow } = armStyle(row.arm);
        const y = PAD.top + i * ROW + DOTS;
        const { low, high } = row.interval ?? {};
        return (
          <g key={row.name} data-row={row.name}>
            <text x={PAD.left} y={PAD.top + i * ROW + NAME} className="finding-name">
              {row.name}
            </text>
            <text x={right} y={PAD.top + i * ROW + NAME} textAnchor="end">
              {shown(row)}
            </text>
            {low === undefined || high === undefined ? null : (
              <path className="finding-interval" d={`M${px(low)} ${y}H${px(high)}`} stroke={color} />
            )}
            <g className="finding-seeds">
              {row.values.map((value, v) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two units may have one value; their order does not change
                <MarkerShape key={v} marker={marker} cx={px(value)} cy={y} r={3.4} color={color} hollow={hollow} />
              ))}
            </g>
            {row.mean === null ? null : (
              <MarkerShape marker={marker} cx={px(row.mean)} cy={y} r={6} color={color} hollow={hollow} />
            )}
          </g>
        );
      })}
    </>
  );
}
