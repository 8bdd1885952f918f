// The rows that `lab improve` writes, and what is read off them: one row a task, model and way of answering. Means over tasks and
// sampling seeds belong to a model; spread is over models that were trained with other seeds.
import { mean } from '../../stats/index.ts';
import type { ChainRow } from './chains.ts';

/** `sampled` and `greedy`: chains of revisions. `independent`: as many answers, each to the task itself. */
export const WAYS = ['sampled', 'greedy', 'independent'] as const;
export type Way = (typeof WAYS)[number];

export interface ImproveRow extends ChainRow {
  /** Arm of the run that trained the model; `base` and a null seed for an untrained one. */
  arm: string;
  seed: number | null;
  /** Seed of the answers; 0 of greedy ones. */
  sampling: number;
  way: Way;
  /** The model that was trained, where it is not the environment's own. */
  base?: string;
  /** Key of model, problems and settings, for a file's problems: a file that was begun can be gone on with. */
  made?: string;
}

/** Reader of a file of such rows: a line that is none is null. */
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

/** Rows by what was trained, in the order in which they come: null is the environment's own model. */
export function basesOf(rows: readonly ImproveRow[]): Map<string | null, ImproveRow[]> {
  const bases = new Map<string | null, ImproveRow[]>();
  for (const row of rows) {
    const of = bases.get(row.base ?? null) ?? [];
    of.push(row);
    bases.set(row.base ?? null, of);
  }
  return bases;
}

/** Returns the models of one base's rows, in the order in which they come. */
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

/** Returns an arm's models, in order of their seeds. */
export const modelsOfArm = (models: readonly Model[], arm: string): Model[] =>
  models.filter((model) => model.arm === arm).sort((a, b) => (a.seed ?? -1) - (b.seed ?? -1));

/** Tokens written up to the K-th revision, a task. */
export const tokensAt = (rows: readonly ImproveRow[], k: number): number | null =>
  mean(rows.map(({ tokens }) => tokens[k]));
