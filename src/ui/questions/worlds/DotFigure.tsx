// A row for each thing compared: every unit as a faint dot, the mean, its 95 % interval as a bar; upright lines at 0 and at the rule's
// bounds. The name stands above its row, so that a phone has room for it.
import { shown } from '../../../experiments/questions/numbers.ts';
import type { DotChart } from '../../../experiments/questions/types.ts';
import { axisOf } from '../../../store/kinds/study/chart.ts';
import { armStyle } from '../../../store/runs/arm-style.ts';
import { MarkerShape } from '../../charts/MarkerShape.tsx';
import { useWidth } from '../../parts/use-width.ts';

const ROW = 42;
const PAD = { left: 10, right: 10, top: 22, bottom: 40 };
/** Of a row: where its name stands, and its dots. */
const [NAME, DOTS] = [13, 28];

export function DotFigure({ id, chart }: { id: string; chart: DotChart }) {
  const [box, width] = useWidth();
  return (
    <figure className="question-chart" data-testid={`chart-${id}`}>
      <figcaption>
        <h3>{chart.title}</h3>
        <p>Faint: one each; large: the mean; bar: its 95 % interval.</p>
      </figcaption>
      <div ref={box} className="plot">
        {width > 0 ? <Drawing chart={chart} width={width} /> : null}
      </div>
    </figure>
  );
}

function Drawing({ chart: { title, x, bounds, rows }, width }: { chart: DotChart; width: number }) {
  const height = PAD.top + rows.length * ROW + PAD.bottom;
  const ends = rows.flatMap(({ values, mean, interval }) => [
    ...values,
    ...(mean === null ? [] : [mean]),
    ...(interval ? [interval.low, interval.high] : []),
  ]);
  const axis = axisOf([...ends, ...bounds.map(({ at }) => at)]);
  const [right, bottom] = [width - PAD.right, height - PAD.bottom];
  const px = (value: number) => PAD.left + 14 + ((value - axis.low) / (axis.high - axis.low)) * (right - PAD.left - 28);
  const said = rows.map((row) => `${row.name}: ${shown(row)}, n = ${row.n}`);
  const tick = (value: number) =>
    value
      .toFixed(2)
      .replace(/^(-?)0\./, '$1.')
      .replace('-', '−')
      .replace(/^\.00$/, '0');
  return (
    <svg width={width} height={height} role="img" aria-label={`${title}. ${said.join('; ')}`}>
      <g className="plot-axis">
        {axis.ticks.map((value) => (
          <g key={value}>
            <line x1={px(value)} x2={px(value)} y1={PAD.top} y2={bottom} className="plot-grid" />
            <text x={px(value)} y={bottom + 15} textAnchor="middle">
              {tick(value)}
            </text>
          </g>
        ))}
        <text x={(PAD.left + right) / 2} y={height - 6} textAnchor="middle" className="plot-title">
          {x}
        </text>
      </g>
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
    </svg>
  );
}
