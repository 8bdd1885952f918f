// An experiment as files: JSON (spec, runs with their rows, table, verdicts) and CSV (the table; the per-step rows).

import { metricColumns, metricsOfTable } from '../../experiments/analysis/columns.ts';
import { nameOf } from '../../experiments/analysis/names.ts';
import { metricsOf } from '../../experiments/environments/registry.ts';
import type { RunRecord, TableRow } from '../../experiments/records/events.ts';
import { OCCASIONAL_MEASURES, STEP_MEASURES } from '../../experiments/records/measures.ts';
import { metricValue } from '../../experiments/records/metrics.ts';
import { toCsv } from '../../lib/csv.ts';
import type { ExperimentView } from '../experiment-view.ts';
import { isMain } from './table-looks.ts';

export function experimentJson(view: ExperimentView): string {
  const { id, spec, status, createdAt, runs, result } = view;
  const table = result?.table ?? null;
  const verdicts = result?.verdicts ?? null;
  return `${JSON.stringify({ id, spec, status, createdAt, runs, table, verdicts }, null, 1)}\n`;
}

/** The files' order of columns is older than the page's and is preserved. */
const FILE_PARTS = ['trained', 'deployed', 'last5', 'delta'] as const;

export function tableCsv(table: readonly TableRow[]): string {
  const measures = metricColumns(metricsOfTable(table), FILE_PARTS);
  const arms = table.map(({ arm }) => arm);
  const header = ['label', 'arm', 'model', 'n', ...measures.flatMap(({ field }) => [field, `${field}_sd`])];
  return toCsv(
    [...header, 'cin_t', 'cout_update', 'verdict'],
    table.map((row) => [
      isMain(row) ? nameOf(row.arm, row.model, arms) : row.label,
      row.arm,
      row.model,
      row.n,
      ...measures.flatMap(({ cell }) => [cell(row)?.mean, cell(row)?.sd]),
      row.cinTeacher,
      row.coutUpdate,
      row.verdict,
    ]),
  );
}

const NUMBERS = Object.keys(STEP_MEASURES) as (keyof typeof STEP_MEASURES)[];
/** Measures that have columns only if a run logs them. */
const OCCASIONAL = Object.keys(OCCASIONAL_MEASURES) as (keyof typeof OCCASIONAL_MEASURES)[];

const isLogged = (runs: readonly RunRecord[], id: string): boolean =>
  runs.some(({ rows }) => rows.some(({ student }) => id in student.figures));

export function stepsCsv(runs: readonly RunRecord[]): string {
  const rates = ['student', 'teacher'] as const;
  const shares = [...new Set(runs.flatMap(({ spec }) => metricsOf(spec.environment)))]
    .filter(({ kind, occasional, id }) => kind === undefined && (!occasional || isLogged(runs, id)))
    .map(({ id }) => id);
  const header = [
    'arm',
    'seed',
    'step',
    ...rates.flatMap((who) => ['n', ...shares].map((what) => `${who}_${what}`)),
    ...NUMBERS,
  ];
  const judged = rates.filter((who) => runs.some(({ rows }) => rows.some((row) => row[who].unjudged !== undefined)));
  const bounded = rates.filter((who) => runs.some(({ rows }) => rows.some((row) => row[who].hackAtMost !== undefined)));
  const logged = OCCASIONAL.filter((name) => runs.some(({ rows }) => rows.some((row) => row[name] !== undefined)));
  return toCsv(
    [
      ...header,
      ...judged.map((who) => `${who}_unjudged`),
      ...bounded.map((who) => `${who}_hack_at_most`),
      ...logged,
      'seconds',
      'tokens_per_second',
    ],
    runs.flatMap((run) =>
      run.rows.map((row) => {
        const timing = run.timings.find(({ step }) => step === row.step);
        return [
          run.spec.arm,
          run.spec.seed,
          row.step,
          ...rates.flatMap((who) => [row[who].n, ...shares.map((id) => metricValue(row[who], id))]),
          ...NUMBERS.map((name) => row[name]),
          ...judged.map((who) => row[who].unjudged ?? 0),
          ...bounded.map((who) => row[who].hackAtMost ?? metricValue(row[who], 'hack')),
          ...logged.map((name) => row[name]),
          timing?.total,
          timing?.tokensPerSecond,
        ];
      }),
    ),
  );
}
