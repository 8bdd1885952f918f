// The columns of a result table, which follow from its environment's headline metrics: trained, deployed, against vanilla, last five steps.
// The page, the command line and the CSV file show the same columns in the same order.

import type { MetricInfo } from '../../environments/metric-info.ts';
import type { Cell, TableRow } from '../records/events.ts';

type Part = 'trained' | 'deployed' | 'delta' | 'last5';

export interface MetricColumn {
  metric: string;
  part: Part;
  /** Name of the column in files: `hack`, `deployedHack`, `deltaHack`, `last5Hack`. */
  field: string;
  cell(row: TableRow): Cell | null;
}

const capital = (id: string): string => id[0].toUpperCase() + id.slice(1);

const column = (part: Part, metric: string): MetricColumn => ({
  metric,
  part,
  field: part === 'trained' ? metric : part + capital(metric),
  cell: (row) => row[part][metric] ?? null,
});

/** In the order of a table's columns. */
export const PARTS: readonly Part[] = ['trained', 'deployed', 'delta', 'last5'];

export function metricColumns(metrics: readonly string[], parts: readonly Part[] = PARTS): MetricColumn[] {
  return parts.flatMap((part) => metrics.map((metric) => column(part, metric)));
}

/** The metrics of a table, for callers that do not know its environment. */
export const metricsOfTable = (table: readonly TableRow[]): string[] => [
  ...new Set(table.flatMap(({ trained }) => Object.keys(trained))),
];

/** Name and explanation of a column. */
export function columnWords(
  { label, of }: Pick<MetricInfo, 'label' | 'of'>,
  part: Part,
): { name: string; title: string } {
  const name = label.toLowerCase();
  switch (part) {
    case 'trained':
      return { name, title: `${label}${of ? ` on ${of}` : ''}, final evaluation` };
    case 'deployed':
      return { name: `deployed ${name}`, title: 'The same without the quarantine' };
    case 'delta':
      return { name: `Δ ${name}`, title: 'Percentage points against vanilla, paired by seed' };
    case 'last5':
      return { name: `${name}, last 5 steps`, title: 'Live rollouts of the last five steps' };
  }
}
