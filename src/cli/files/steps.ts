// Every training step of runs as one table, for plotting tools: a line per step, with the run's options, under TRL's names where it logs the
// same number. CSV and Parquet have the same columns.
import { parquetWriteBuffer } from 'hyparquet-writer';
import { metricsOf } from '../../experiments/environments/registry.ts';
import type { RunRecord, StepRow } from '../../experiments/records/events.ts';
import { metricValue } from '../../experiments/records/metrics.ts';
import { toCsv } from '../../lib/csv.ts';

/** A run, under its name in the table. */
export interface TableRun {
  name: string;
  /** Options in which it differs from the others. */
  options: Readonly<Record<string, unknown>>;
  record: RunRecord;
}

/** TRL's name of a step's number, by the lab's name. */
const TRL = {
  reward: 'reward',
  rewardStd: 'reward_std',
  fracRewardZeroStd: 'frac_reward_zero_std',
  loss: 'loss',
  kl: 'kl',
  entropy: 'entropy',
  lr: 'learning_rate',
  gradNorm: 'grad_norm',
  completionMeanLength: 'completions/mean_length',
  completionClippedRatio: 'completions/clipped_ratio',
} as const satisfies Partial<Record<keyof StepRow, string>>;

const finiteOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

interface Line extends TableRun {
  row: StepRow;
}

interface Column {
  name: string;
  type: 'DOUBLE' | 'STRING' | 'INT32';
  data: (string | number | null)[];
}

type Measured = readonly [name: string, of: (row: StepRow) => number | null];

/** A step's numbers under their names in the table; null where not measured. */
export function numbersOf({ environment }: RunRecord['spec']): Measured[] {
  return [
    ...Object.entries(TRL).map(([name, trl]): Measured => [trl, (row) => finiteOrNull(row[name as keyof typeof TRL])]),
    ...metricsOf(environment).map(
      ({ id }): Measured => [`student/${id}`, (row) => finiteOrNull(metricValue(row.student, id))],
    ),
  ];
}

function stepColumns(runs: readonly TableRun[]): Column[] {
  const lines: Line[] = runs.flatMap((run) => run.record.rows.map((row) => ({ ...run, row })));
  const column = (name: string, type: Column['type'], of: (line: Line) => string | number | null): Column => ({
    name,
    type,
    data: lines.map(of),
  });
  const options = [...new Set(runs.flatMap((run) => Object.keys(run.options)))].map((option) => {
    const isNumber = runs.every((run) => typeof run.options[option] === 'number');
    return isNumber
      ? column(`option/${option}`, 'DOUBLE', (line) => line.options[option] as number)
      : column(`option/${option}`, 'STRING', (line) => String(line.options[option]));
  });
  const numbers = new Map(
    runs.map(({ record }) => record.spec).map((spec) => [spec.environment, new Map(numbersOf(spec))]),
  );
  const names = new Set([...numbers.values()].flatMap((own) => [...own.keys()]));
  return [
    column('run', 'STRING', (line) => line.name),
    ...options,
    column('seed', 'DOUBLE', ({ record }) => record.spec.seed),
    column('step', 'INT32', ({ row }) => row.step),
    ...[...names].map((name) =>
      column(name, 'DOUBLE', ({ row, record }) => numbers.get(record.spec.environment)?.get(name)?.(row) ?? null),
    ),
  ];
}

export function stepsParquet(runs: readonly TableRun[]): Uint8Array {
  const columnData = stepColumns(runs).map((column) => ({ ...column, nullable: true }));
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}

export function stepsCsv(runs: readonly TableRun[]): string {
  const columns = stepColumns(runs);
  const lines = Array.from({ length: columns[0].data.length }, (_, i) => columns.map(({ data }) => data[i]));
  return toCsv(
    columns.map(({ name }) => name),
    lines,
    '\n',
  );
}
