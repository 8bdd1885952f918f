// The rows that `lab improve` writes, and functions that read them: one row per task, model and way of answering. Means over tasks and sampling
// seeds belong to one model; spread is over models trained with other seeds.
import { mean } from '../../stats/index.ts';
import type { ChainRow } from './chains.ts';

/** `sampled` and `greedy`: chains of revisions. `independent`: as many answers, each to the task itself. */
export const WAYS = ['sampled', 'greedy', 'independent'] as const;
export type Way = (typeof WAYS)[number];

export interface ImproveRow extends ChainRow {
  /** Arm of the run that trained the model; `base` with a null seed for an untrained one. */
  arm: string;
  seed: number | null;
  /** Seed of the answers; 0 for greedy ones. */
  sampling: number;
  way: Way;
  /** The untrained model, if it is not the environment's own. */
  base?: string;
  /** Key of model, problems and settings, for problems from a file, so that an unfinished file can be continued. */
  made?: string;
}

/** Parser for files of such rows; other lines give null. */
export const IMPROVE_ROWS = {
  command: 'improve',
  read(value: Record<string, unknown>): ImproveRow | null {
    const row = value as Partial<ImproveRow>;
    const isRow = typeof row.id === 'string' && typeof row.arm === 'string' && Array.isArray(row.quality);
    return isRow && WAYS.some((way) => way === row.way) ? (row as ImproveRow) : null;
  },
};

export interface Model {
  arm: string;
  seed: number | null;
  rows: readonly ImproveRow[];
}

/** Rows by base model, in order of appearance; null is the environment's own. */
export function basesOf(rows: readonly ImproveRow[]): Map<string | null, ImproveRow[]> {
  const bases = new Map<string | null, ImproveRow[]>();
  for (const row of rows) {
    const of = bases.get(row.base ?? null) ?? [];
    of.push(row);
    bases.set(row.base ?? null, of);
  }
  return bases;
}

/** Returns the models of one base's rows, in order of appearance. */
export function modelsOf(rows: readonly ImproveRow[]): Model[] {
  const models = new Map<string, { arm: string; seed: number | null; rows: ImproveRow[] }>();
  for (const row of rows) {
    const key = `${row.arm} ${row.seed}`;
    const model = models.get(key) ?? { arm: row.arm, seed: row.seed, rows: [] };
    model.rows.push(row);
    models.set(key, model);
  }
  return [...models.values()];
}

export const rowsOfWay = ({ rows }: Pick<Model, 'rows'>, way: Way): ImproveRow[] =>
  rows.filter((row) => row.way === way);

/** Returns an arm's models, ordered by seed. */
export const modelsOfArm = (models: readonly Model[], arm: string): Model[] =>
  models.filter((model) => model.arm === arm).sort((a, b) => (a.seed ?? -1) - (b.seed ?? -1));

/** Mean number of tokens per task up to the K-th revision. */
export const tokensAt = (rows: readonly ImproveRow[], k: number): number | null =>
  mean(rows.map(({ tokens }) => tokens[k]));
