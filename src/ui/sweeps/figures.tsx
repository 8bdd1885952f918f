// A sweep's pictures, from its report alone: parallel coordinates of options and metric, two metrics with the Pareto front, a heat map of two
// axes. Points and cells say their configuration to whoever points at them; the table beside has every number.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type { SweepPlan } from '../../experiments/sweep/plan.ts';
import type { ReportRow, SweepReport } from '../../experiments/sweep/report.ts';
import { valueText } from '../../experiments/sweep/spec.ts';
import { significant } from '../../lib/numbers.ts';

const [WIDTH, HEIGHT] = [360, 220];
const PAD = { left: 44, right: 16, top: 24, bottom: 34 };

const meanOf = (row: ReportRow, id: string): number | null => row.metrics[id]?.mean ?? null;

/** From 0 to 1; the middle where all are equal. */
function scaleOf(values: readonly number[]): (value: number) => number {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return (value) => (high > low ? (value - low) / (high - low) : 0.5);
}

/** Blue to amber; both keep to the theme. */
const tint = (share: number): string =>
  `color-mix(in oklab, var(--arm-amber) ${Math.round(share * 100)}%, var(--arm-blue))`;

/** Reward by step of a run at work, as far as it was heard. */
export function Trend({ points, of }: { points: readonly { step: number; reward: number }[]; of: number }) {
  if (points.length < 2) return null;
  const scale = scaleOf(points.map(({ reward }) => reward));
  const x = (step: number) => PAD.left + (step / of) * (WIDTH - PAD.left - PAD.right);
  const y = (reward: number) => HEIGHT / 2 - 8 - scale(reward) * (HEIGHT / 2 - 24);
  const rewards = points.map(({ reward }) => reward);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT / 2}`} role="img" aria-label={`Reward of ${points.length} steps`}>
      <polyline
        points={points.map(({ step, reward }) => `${x(step)},${y(reward)}`).join(' ')}
        fill="none"
        stroke="var(--accent)"
        strokeWidth={2}
      />
      <text x={4} y={14}>
        {significant(Math.max(...rewards))}
      </text>
      <text x={4} y={HEIGHT / 2 - 6}>
        {significant(Math.min(...rewards))}
      </text>
    </svg>
  );
}

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
    <figure className="sweep-figure">
      <figcaption>Options and {metric.id}, a line a configuration</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Parallel coordinates of ${names.join(', ')}`}>
        {rows.map((row) => (
          <polyline
            key={row.configuration}
            points={names.map((name, i) => `${x(i)},${y(shareOf(row, name))}`).join(' ')}
            fill="none"
            stroke={tint(scale(meanOf(row, metric.id)!))}
            strokeWidth={2}
          >
            <title>{`${row.label}: ${significant(meanOf(row, metric.id))}`}</title>
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
                    [valueText(parseJsonText(value)), values.length > 1 ? at / (values.length - 1) : 0.5] as const,
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
    </figure>
  );
}

export function Scatter({ report }: { report: SweepReport }) {
  const { pareto, table } = report;
  if (!pareto || pareto.metrics.length < 2) return null;
  const [a, b] = pareto.metrics;
  const rows = table.filter((row) => meanOf(row, a.id) !== null && meanOf(row, b.id) !== null);
  if (rows.length < 2) return null;
  const scales = [a, b].map(({ id }) => scaleOf(rows.map((row) => meanOf(row, id)!)));
  const x = (row: ReportRow) => PAD.left + scales[0](meanOf(row, a.id)!) * (WIDTH - PAD.left - PAD.right);
  const y = (row: ReportRow) => HEIGHT - PAD.bottom - scales[1](meanOf(row, b.id)!) * (HEIGHT - PAD.top - PAD.bottom);
  const isOnFront = (row: ReportRow) => pareto.configurations.includes(table.indexOf(row));
  const front = rows.filter(isOnFront).sort((one, two) => x(one) - x(two));
  const ends = (id: string) => rows.map((row) => meanOf(row, id)!);
  return (
    <figure className="sweep-figure">
      <figcaption>
        {b.id} by {a.id}; the line is the Pareto front ({a.goal} {a.id}, {b.goal} {b.id})
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${b.id} by ${a.id}, with the Pareto front`}>
        <polyline
          points={front.map((row) => `${x(row)},${y(row)}`).join(' ')}
          fill="none"
          stroke="var(--accent)"
          strokeDasharray="4 3"
        />
        {rows.map((row) => (
          <circle
            key={row.configuration}
            cx={x(row)}
            cy={y(row)}
            r={5}
            fill={isOnFront(row) ? 'var(--accent)' : 'var(--surface)'}
            stroke="var(--accent)"
          >
            <title>{`${row.label}: ${a.id} ${significant(meanOf(row, a.id))}, ${b.id} ${significant(meanOf(row, b.id))}`}</title>
          </circle>
        ))}
        <text x={PAD.left} y={HEIGHT - 8}>
          {a.id} {significant(Math.min(...ends(a.id)))}
        </text>
        <text x={WIDTH - PAD.right} y={HEIGHT - 8} textAnchor="end">
          {significant(Math.max(...ends(a.id)))}
        </text>
        <text x={4} y={14}>
          {b.id} {significant(Math.max(...ends(b.id)))}
        </text>
        <text x={4} y={HEIGHT - PAD.bottom}>
          {significant(Math.min(...ends(b.id)))}
        </text>
      </svg>
    </figure>
  );
}

/** Of the first two axes; a cell is the mean over all else. */
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
    <figure className="sweep-figure">
      <figcaption>
        {metric.id} by {first} and {second}
      </figcaption>
      <table className="sweep-heat">
        <thead>
          <tr>
            <th scope="col">
              {first} \ {second}
            </th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {valueText(parseJsonText(column))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              <th scope="row">{valueText(parseJsonText(row))}</th>
              {columns.map((column) => {
                const value = at(row, column);
                const share = value === null ? 0 : scale(value);
                return (
                  <td
                    key={column}
                    className="num"
                    style={
                      value === null
                        ? {}
                        : {
                            background: `color-mix(in oklab, var(--accent-soft) ${Math.round(100 - share * 100)}%, var(--mark))`,
                          }
                    }
                  >
                    {value === null ? '–' : significant(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
