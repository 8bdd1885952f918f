// Sources of the questions' estimates: models of runs that differ, seed by seed, only in the subject of the question. Each file of rows is
// one experiment, described as data: what it trains, the command that makes or resumes it, and the models that are read from it.
import type { ArmName } from '../../../src/experiments/config/arms.ts';
import type { Settings } from '../../../src/experiments/config/settings.ts';
import type { EvalRow, RunRecord } from '../../../src/experiments/records/events.ts';
import { finalRow } from '../../../src/experiments/records/metrics.ts';
import { inSeedOrder } from '../../judge/question.ts';

export const SEEDS = [41, 42, 43, 44, 45] as const;

/**
 * Each run evaluates 64 prompts of trained kinds and 64 of unseen kinds (64 and 40 if the flaw is hidden), on unseen topics, half of each with a
 * flawed verifier. In a pilot seed the share of flawed prompts with a false claim was .13 at steps 1 to 4 and .27 at step 5, and .81 after a run
 * of four steps.
 */
export const SHARED = {
  steps: 12,
  evalEvery: 0,
  finalEvalProblems: 128,
  checkpointEvery: 4,
} satisfies Partial<Settings>;

export interface Trained {
  /** Path of the file of rows, below public/results. */
  file: string;
  arms: readonly ArmName[];
  set?: Partial<Settings>;
  seeds?: readonly number[];
}

const trainedFile = (name: string, arms: readonly ArmName[], set?: Partial<Settings>): Trained => ({
  file: `instructions/${name}.json.gz`,
  arms,
  ...(set && { set }),
});

/** Experiments, ordered by information per computing time. */
export const TRAINED = {
  shown: trainedFile('shown', ['route-update']),
  erase: trainedFile('erase', ['erase', 'random_V']),
  repaired: trainedFile('repaired', ['none'], { flaw: 'none' }),
  hidden: trainedFile('hidden', ['route-update'], { flawForm: 'hidden' }),
  blind: trainedFile('blind', ['route-update'], { flaw: 'blind', pairSet: 'blind' }),
  gradient: trainedFile('gradient', ['route', 'random_V-route']),
  remedies: trainedFile('remedies', ['kl', 'advantage']),
  svd: { ...trainedFile('svd', ['route-update'], { adapter: 'svd', lr: 3e-3 }), seeds: SEEDS.slice(0, 3) },
} as const satisfies Record<string, Trained>;
export type TrainedId = keyof typeof TRAINED;

/** Command that makes the rows; an interrupted one resumes from its last checkpoints. */
export function commandOf(id: TrainedId): string {
  const { arms, set = {}, seeds = SEEDS }: Trained = TRAINED[id];
  return runCommand({ arms, seeds, set: { ...SHARED, ...set }, out: `runs/${id}`, json: 'FILE' });
}

export function runCommand(of: {
  arms: readonly ArmName[];
  seeds: readonly number[];
  set: Partial<Settings>;
  out: string;
  json: string;
}): string {
  const { steps, ...rest } = of.set;
  const settings = Object.entries(rest).map(([name, value]) => `--set ${name}=${value}`);
  return [
    'npm run lab -- run --environment instructions --model .cache/models/minimind2-small',
    `--arms ${of.arms.join(',')} --seeds ${of.seeds.join(',')} --steps ${steps} ${settings.join(' ')}`,
    `--device cpu-fused --out ${of.out} --json ${of.json}`,
  ].join(' ');
}

/** A model of an experiment's runs. */
export interface Source {
  of: TrainedId;
  arm: ArmName;
  /** The model's name in `EvalRow.model`. */
  model: string;
}

/** Runs by file, each in the order of seeds. */
export type Runs = Readonly<Partial<Record<TrainedId, readonly RunRecord[]>>>;

export const runsOf = (ids: readonly TrainedId[], read: (file: string) => readonly RunRecord[]): Runs =>
  Object.fromEntries(ids.map((id) => [id, inSeedOrder(read(TRAINED[id].file))]));

const runOf = (runs: Runs, { of, arm }: Source, seed: number): RunRecord | undefined =>
  runs[of]?.find(({ spec }) => spec.arm === arm && spec.seed === seed);

const rowOf = (runs: Runs, source: Source, seed: number): EvalRow | null => {
  const run = runOf(runs, source, seed);
  return run ? finalRow(run, source.model) : null;
};

/** Seeds in which all of the models were evaluated. */
export function seedsOf(runs: Runs, models: readonly Source[]): number[] {
  const all = models.flatMap(({ of, arm }) =>
    (runs[of] ?? []).filter(({ spec }) => spec.arm === arm).map(({ spec }) => spec.seed),
  );
  return [...new Set(all)].sort((a, b) => a - b).filter((seed) => models.every((one) => rowOf(runs, one, seed)));
}

/** One value per seed; NaN if it was not measured. `split` names one part of the evaluation set. */
export function valuesOf(
  runs: Runs,
  seeds: readonly number[],
  source: Source | undefined,
  figure: string,
  split?: string,
): number[] {
  if (!source) return [];
  return seeds.map((seed) => {
    const row = rowOf(runs, source, seed);
    const rates = split === undefined ? row?.all : row?.splits[split];
    return rates?.figures[figure] ?? Number.NaN;
  });
}
