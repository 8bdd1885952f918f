// Charts of a sweep's report: parallel coordinates of options and metric, two metrics with the Pareto front, and a heat map of two axes.
// Points and cells have tooltips with their configuration. The table beside them has all numbers.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type { SweepPlan } from '../../experiments/sweep/plan.ts';
import type { ReportRow, SweepReport } from '../../experiments/sweep/report.ts';
import { axisAround } from '../../lib/axis.ts';
import { toCsv } from '../../lib/csv.ts';
import { significant } from '../../lib/numbers.ts';
import { plotAxis } from '../../lib/plot.ts';
import type { ArmStyle } from '../../store/runs/arm-style.ts';
import { configurationWords, valueWords } from '../../store/sweeps/words.ts';
import { LineMark } from '../charts/marks.tsx';
import { ChartFigure, PlotFigure } from '../charts/PlotFigure.tsx';
import { MarkerShape } from '../charts/Shapes.tsx';
import { HeatTable } from '../parts/HeatTable.tsx';

const [WIDTH, HEIGHT] = [360, 220];
const PAD = { left: 44, right: 16, top: 24, bottom: 34 };

const meanOf = (row: ReportRow, id: string): number | null => row.metrics[id]?.mean ?? null;

/** Scales values to 0..1; 0.5 if all are equal. */
function scaleOf(values: readonly number[]): (value: number) => number {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return (value) => (high > low ? (value - low) / (high - low) : 0.5);
}

const LOOK: ArmStyle = { color: 'var(--accent)', dash: undefined, marker: 'circle' };

/** Colour from blue (0) to amber (1), both of the theme. */
const tint = (share: number): string =>
  `color-mix(in oklab, var(--arm-amber) ${Math.round(share * 100)}%, var(--arm-blue))`;

export function Parallel({ report, plan }: { report: SweepReport; plan: SweepPlan }) {
  const { metric } = report;
  const rows = report.table.filter((row) => meanOf(row, metric.id) !== null);
  if (rows.length < 2) return null;
  const options = plan.spec.axes.map(({ option }) => option);
  const places = new Map(
    options.map((option) => {
      const values = [...new Set(rows.map((row) => JSON.stringify(row.values[option])))];
      const isNumber = rows.every((row) => typeof row.values[option] === 'number');
      if (isNumber) values.sort((a, b) => Number(a) - Number(b));
      return [option, values] as const;
    }),
  );
  const names = [...options, metric.id];
  const x = (i: number) => PAD.left + (i / (names.length - 1)) * (WIDTH - PAD.left - PAD.right);
  const y = (share: number) => HEIGHT - PAD.bottom - share * (HEIGHT - PAD.top - PAD.bottom);
  const scale = scaleOf(rows.map((row) => meanOf(row, metric.id)!));
  const shareOf = (row: ReportRow, name: string): number => {
    const values = places.get(name as (typeof options)[number]);
    if (!values) return scale(meanOf(row, metric.id)!);
    return values.length > 1
      ? values.indexOf(JSON.stringify(row.values[name as (typeof options)[number]])) / (values.length - 1)
      : 0.5;
  };
  return (
    <ChartFigure id="sweep-parallel" title={`Options and ${metric.id}`} about="One line per configuration.">
      <svg
        className="sweep-parallel"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Parallel coordinates of ${names.join(', ')}`}
      >
        {rows.map((row) => (
          <polyline
            key={row.configuration}
            points={names.map((name, i) => `${x(i)},${y(shareOf(row, name))}`).join(' ')}
            fill="none"
            stroke={tint(scale(meanOf(row, metric.id)!))}
            strokeWidth={2}
          >
            <title>{`${configurationWords(row.values)}: ${significant(meanOf(row, metric.id))}`}</title>
          </polyline>
        ))}
        {names.map((name, i) => (
          <g key={name}>
            <line x1={x(i)} x2={x(i)} y1={y(0)} y2={y(1)} stroke="var(--line-2)" />
            <text x={x(i)} y={HEIGHT - 8} textAnchor={i === 0 ? 'start' : i === names.length - 1 ? 'end' : 'middle'}>
              {name}
            </text>
          </g>
        ))}
        {names.flatMap((name, i) => {
          const values = places.get(name as (typeof options)[number]);
          const numbers = rows.map((row) => meanOf(row, metric.id)!);
          const ticks = values
            ? values.length <= 6
              ? values.map(
                  (value, at) =>
                    [
                      valueWords(name, parseJsonText(value)),
                      values.length > 1 ? at / (values.length - 1) : 0.5,
                    ] as const,
                )
              : []
            : [0, 1].map((share) => [significant(share ? Math.max(...numbers) : Math.min(...numbers)), share] as const);
          const isLast = i === names.length - 1;
          return ticks.map(([label, share]) => (
            <text
              key={`${name} ${label} ${share}`}
              x={x(i) + (isLast ? -4 : 4)}
              y={y(share) - 3}
              textAnchor={isLast ? 'end' : 'start'}
            >
              {label}
            </text>
          ));
        })}
      </svg>
    </ChartFigure>
  );
}

export function Scatter({ report }: { report: SweepReport }) {
  const { pareto, table } = report;
  if (!pareto || pareto.metrics.length < 2) return null;
  const [a, b] = pareto.metrics;
  const points = table.flatMap(({ values, configuration, metrics }, i) => {
    const [x, y] = [metrics[a.id]?.mean ?? null, metrics[b.id]?.mean ?? null];
    return x === null || y === null
      ? []
      : [{ label: configurationWords(values), configuration, x, y, isOnFront: pareto.configurations.includes(i) }];
  });
  if (points.length < 2) return null;
  const front = points.filter(({ isOnFront }) => isOnFront).sort((one, two) => one.x - two.x);
  return (
    <PlotFigure
      id="sweep-pareto"
      title={`${b.id} by ${a.id}`}
      about={`One mark per configuration. The line is the Pareto front (${a.goal} ${a.id}, ${b.goal} ${b.id}).`}
      height={230}
      description={`${b.id} by ${a.id}, with the Pareto front`}
      x={{ ...plotAxis(a.id, axisAround(points.map(({ x }) => x))), inset: 8 }}
      y={{ ...plotAxis(b.id, axisAround(points.map(({ y }) => y))), inset: 8 }}
      csv={() =>
        toCsv(
          ['configuration', a.id, b.id, 'on the front'],
          points.map(({ label, x, y, isOnFront }) => [label, x, y, isOnFront ? 'yes' : 'no']),
        )
      }
    >
      {(place) => (
        <>
          <LineMark points={front} style={{ ...LOOK, dash: '4 3' }} place={place} every={0} />
          {points.map(({ label, configuration, x, y, isOnFront }) => (
            <g key={configuration}>
              <title>{`${label}: ${a.id} ${significant(x)}, ${b.id} ${significant(y)}`}</title>
              <MarkerShape {...LOOK} hollow={!isOnFront} cx={place.x(x)} cy={place.y(y)} r={5} />
            </g>
          ))}
        </>
      )}
    </PlotFigure>
  );
}

/** Heat map of the first two axes. A cell is the mean over all other axes and seeds. */
export function HeatMap({ report, plan }: { report: SweepReport; plan: SweepPlan }) {
  const { metric, table } = report;
  const [first, second] = plan.spec.axes.map(({ option }) => option);
  if (second === undefined) return null;
  const valuesOf = (option: typeof first) => [...new Set(table.map(({ values }) => JSON.stringify(values[option])))];
  const [rows, columns] = [valuesOf(first), valuesOf(second)];
  if (rows.length * columns.length > 400) return null;
  const at = (row: string, column: string): number | null => {
    const found = table.flatMap((each) => {
      const value = meanOf(each, metric.id);
      const isHere = JSON.stringify(each.values[first]) === row && JSON.stringify(each.values[second]) === column;
      return isHere && value !== null ? [value] : [];
    });
    return found.length > 0 ? found.reduce((sum, value) => sum + value, 0) / found.length : null;
  };
  const all = rows.flatMap((row) => columns.flatMap((column) => at(row, column) ?? []));
  if (all.length === 0) return null;
  const scale = scaleOf(all);
  return (
    <ChartFigure id="sweep-heat" title={`${metric.id} by ${first} and ${second}`} about="The mean over all else.">
      <HeatTable
        label={`${metric.id} by ${first} and ${second}`}
        corner={`${first} \\ ${second}`}
        columns={columns.map((column) => valueWords(second, parseJsonText(column)))}
        rows={rows.map((row) => ({
          label: valueWords(first, parseJsonText(row)),
          cells: columns.map((column) => {
            const value = at(row, column);
            return value === null ? null : { text: significant(value), shade: scale(value), tone: 'size' };
          }),
        }))}
      />
    </ChartFigure>
  );
}
