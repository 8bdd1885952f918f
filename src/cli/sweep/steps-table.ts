// Every training step of a sweep as one table (Parquet), for tools that plot: a line a step, with the run's options, under the names that
// TRL logs where it has the same number.
import { parquetWriteBuffer } from 'hyparquet-writer';
import { metricsOf } from '../../experiments/environments/of-run.ts';
import type { StudyRun } from '../../experiments/kinds/study/figures.ts';
import type { StepRow } from '../../experiments/records/events.ts';
import { figureOf } from '../../experiments/records/figures.ts';
import type { SweepPlan } from '../../experiments/sweep/plan.ts';

/** A finished run, with what it is a run of. */
export interface Collected {
  configuration: number;
  rung: number;
  seed: number;
  run: StudyRun;
}

/** TRL's name of a step's number, by the lab's. */
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

const known = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/** What was not measured is null. */
export function stepsParquet({ spec, configurations }: SweepPlan, runs: readonly Collected[]): Uint8Array {
  const lines = runs.flatMap((collected) => collected.run.record.rows.map((row) => ({ ...collected, row })));
  const column = (
    name: string,
    type: 'DOUBLE' | 'STRING' | 'INT32',
    of: (line: (typeof lines)[number]) => unknown,
  ) => ({
    ...{ name, type, nullable: true },
    data: lines.map(of),
  });
  const options = spec.axes.map(({ option }) => {
    const values = configurations.map((configuration) => configuration.values[option]);
    const isNumber = values.every((value) => typeof value === 'number');
    const of = (line: (typeof lines)[number]) => configurations[line.configuration].values[option];
    return isNumber
      ? column(`option/${option}`, 'DOUBLE', of)
      : column(`option/${option}`, 'STRING', (line) => String(of(line)));
  });
  const environments = new Set(runs.map(({ run }) => run.record.spec.environment));
  const figures = new Set([...environments].flatMap((environment) => metricsOf(environment).map(({ id }) => id)));
  const columns = [
    column('run', 'STRING', ({ run }) => run.key),
    ...options,
    column('seed', 'DOUBLE', ({ seed }) => seed),
    column('step', 'INT32', ({ row }) => row.step),
    ...Object.entries(TRL).map(([name, trl]) =>
      column(trl, 'DOUBLE', ({ row }) => known(row[name as keyof typeof TRL])),
    ),
    ...[...figures].map((id) => column(`student/${id}`, 'DOUBLE', ({ row }) => known(figureOf(row.student, id)))),
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData: columns }));
}
