// A question's chart as CSV: exactly what is drawn, in the units of the sheet.
import type { Chart, MarkPanel, Table } from '../../experiments/judge/figures.ts';
import { toCsv } from '../../lib/csv.ts';

/** CSV of lines and dots; marks are saved panel by panel. */
export function questionCsv(chart: Exclude<Chart, { kind: 'marks' }>): string {
  if (chart.kind === 'dots')
    return toCsv(
      ['row', 'n', 'mean', 'low', 'high', 'values'],
      chart.rows.map(({ name, n, mean, interval, values }) => [
        name,
        n,
        mean,
        interval?.low,
        interval?.high,
        values.join(' '),
      ]),
    );
  return toCsv(
    ['line', 'n', chart.x, chart.y, 'low', 'high'],
    chart.lines.flatMap(({ label, n, mean, low, high }) =>
      chart.at.map((at, i) => [label, n, at, mean[i], low?.[i], high?.[i]]),
    ),
  );
}

/** A panel's marks, each followed by the units in its mean. */
export function marksCsv({ x, y, marks }: MarkPanel, table: Table): string {
  return toCsv(
    ['row', 'label', 'unit', x.label, y.label],
    marks.flatMap(({ row, each, ...mean }) => {
      const label = table.rows[row - 1]?.[0] ?? '';
      return [[row, label, 'mean', mean.x, mean.y], ...each.map((unit, i) => [row, label, i + 1, ...unit])];
    }),
  );
}
