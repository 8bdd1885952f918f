// The final table of an experiment as text: one line per arm and deployed model, ± sd where there are several seeds.

import type { MetricInfo } from '../../environments/metric-info.ts';
import { metricColumns, metricsOfTable } from '../../experiments/analysis/columns.ts';
import { withPageNames } from '../../experiments/analysis/page-names.ts';
import type { Cell, ExperimentResult, TableRow } from '../../experiments/records/events.ts';
import { decimal, percent } from '../../lib/numbers.ts';
import { textTable } from '../table.ts';

const share = (stat: Cell | null) =>
  stat === null ? '' : `${decimal(stat.mean)}${stat.sd === null ? '' : ` ±${decimal(stat.sd)}`}`;
const delta = (stat: Cell | null) => `${stat !== null && stat.mean > 0 ? '+' : ''}${share(stat)}`;
const overlap = (x: number | null) => (x === null ? '' : decimal(x));

type ResultColumn = readonly [title: string, of: (row: TableRow) => string];
const TITLES = {
  trained: (name: string) => name,
  deployed: (name: string) => `deployed ${name}`,
  delta: (name: string) => `Δ${name}`,
  last5: (name: string) => `${name}, last 5`,
} as const;

const columnsOf = (table: readonly TableRow[]): ResultColumn[] => [
  ['model', ({ label }) => label],
  ...metricColumns(metricsOfTable(table)).map(
    ({ metric, part, cell }): ResultColumn => [
      TITLES[part](metric),
      (row) => (part === 'delta' ? delta : share)(cell(row)),
    ],
  ),
  ['cin_t', ({ cinTeacher }) => overlap(cinTeacher)],
  ['cout_update', ({ coutUpdate }) => overlap(coutUpdate)],
  ['n', ({ n }) => String(n)],
  ['unjudged', ({ unjudged }) => (unjudged === undefined ? '' : String(unjudged))],
  ['hack ≤', ({ hackAtMost }) => (hackAtMost === undefined ? '' : percent(hackAtMost))],
];

/** Columns that no row fills are left out. */
export function renderResult(
  { table: stored, verdicts }: Pick<ExperimentResult, 'table' | 'verdicts'>,
  metrics: readonly MetricInfo[],
): string {
  const table = stored.map((row) => ({ ...row, label: withPageNames(row.label) }));
  const sentences = metrics.map(({ id, brief, about }) => `${id}: ${brief ?? about.replace(/\.$/, '')}`);
  const shown = columnsOf(table).filter(([, of]) => table.some((row) => of(row) !== ''));
  // Rows that share a verdict share its line.
  const labels = new Map<string, string[]>();
  for (const { label, verdict } of table) {
    if (verdict !== '') labels.set(verdict, [...(labels.get(verdict) ?? []), label.trim()]);
  }
  const remarks = [...labels]
    .sort(([, a], [, b]) => a.length - b.length)
    .map(([verdict, of]) => `${of.length > 4 && labels.size > 1 ? 'all others' : of.join(', ')}: ${verdict}`);
  return [
    textTable(table, shown),
    '',
    [...sentences, 'Δ against vanilla of the same seed.'].join('; '),
    ...(remarks.length ? ['', ...remarks] : []),
    ...(verdicts.length ? ['', ...verdicts.map((sentence) => `• ${withPageNames(sentence)}`)] : []),
  ].join('\n');
}
