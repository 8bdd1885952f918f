// The final table of an experiment as text: one line per arm and deployed model, ± sd where there are several seeds.
import type { ExperimentResult, TableRow } from '../experiments/events.ts';
import { renderTable } from './table.ts';

type Stat = { mean: number; sd: number | null } | null;

const share = (stat: Stat) =>
  stat === null ? '' : `${stat.mean.toFixed(3)}${stat.sd === null ? '' : ` ±${stat.sd.toFixed(3)}`}`;
const delta = (stat: Stat) =>
  stat === null
    ? ''
    : `${stat.mean >= 0 ? '+' : '−'}${Math.abs(stat.mean).toFixed(3)}${stat.sd === null ? '' : ` ±${stat.sd.toFixed(3)}`}`;
const overlap = (x: number | null) => (x === null ? '' : x.toFixed(3));

interface ResultColumn {
  title: string;
  cell: (row: TableRow) => string;
  left?: boolean;
}
const COLUMNS: readonly ResultColumn[] = [
  { title: 'model', cell: ({ label }) => label, left: true },
  { title: 'hack', cell: ({ hack }) => share(hack) },
  { title: 'solve', cell: ({ solve }) => share(solve) },
  { title: 'deployed hack', cell: ({ deployedHack }) => share(deployedHack) },
  { title: 'deployed solve', cell: ({ deployedSolve }) => share(deployedSolve) },
  { title: 'Δhack', cell: ({ deltaHack }) => delta(deltaHack) },
  { title: 'Δsolve', cell: ({ deltaSolve }) => delta(deltaSolve) },
  { title: 'hack, last 5', cell: ({ last5Hack }) => share(last5Hack) },
  { title: 'solve, last 5', cell: ({ last5Solve }) => share(last5Solve) },
  { title: 'cin_t', cell: ({ cinTeacher }) => overlap(cinTeacher) },
  { title: 'cout_update', cell: ({ coutUpdate }) => overlap(coutUpdate) },
  { title: 'n', cell: ({ n }) => String(n) },
];

/** Columns that no row fills are left out. */
export function renderResult({ table, verdicts }: Pick<ExperimentResult, 'table' | 'verdicts'>): string {
  const shown = COLUMNS.filter(({ cell }) => table.some((row) => cell(row) !== ''));
  const text = renderTable(
    shown.map(({ title, left }) => ({ title, right: !left })),
    table.map((row) => shown.map(({ cell }) => cell(row))),
  );
  // Rows that share a verdict share its line.
  const labels = new Map<string, string[]>();
  for (const { label, verdict } of table) {
    if (verdict !== '') labels.set(verdict, [...(labels.get(verdict) ?? []), label.trim()]);
  }
  const remarks = [...labels]
    .sort(([, a], [, b]) => a.length - b.length)
    .map(([verdict, of]) => `${of.length > 4 && labels.size > 1 ? 'all others' : of.join(', ')}: ${verdict}`);
  return [
    text,
    '',
    'hack: share of hackable problems whose grade was fooled; solve: share that passes the strict oracle; Δ against vanilla of the same seed.',
    ...(remarks.length ? ['', ...remarks] : []),
    ...(verdicts.length ? ['', ...verdicts.map((sentence) => `• ${sentence}`)] : []),
  ].join('\n');
}
