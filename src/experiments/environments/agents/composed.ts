// Rows of composed forms by model: what share it passes in each draw of tasks, by split. What G2 is judged by.
import { SPLITS, type Split } from '@projected-grpo-lab/are/generate/template.ts';
import { mean, sd } from '../../../stats/index.ts';
import { type ComposedRow, tableOf } from './measure-composed.ts';

/** A row with who was asked, and how it was drawn. */
export interface AskedRow extends ComposedRow {
  model: string;
  part: 'words' | 'templates';
  seed: number;
  temperature: number;
}

export interface ComposedFigures {
  model: string;
  /** Draws of tasks. */
  seeds: readonly number[];
  /** Tasks of a split in each draw. */
  tasks: number;
  /** Share passed, a draw each, in the order of `seeds`. */
  solve: Record<Split, number[]>;
  mean: Record<Split, number>;
  sd: Record<Split, number | null>;
}

/** Of each model that was asked. */
export function composedFigures(rows: readonly AskedRow[]): ComposedFigures[] {
  return [...new Set(rows.map(({ model }) => model))].map((model) => {
    const own = rows.filter((row) => row.model === model);
    const seeds = [...new Set(own.map(({ seed }) => seed))].sort((a, b) => a - b);
    const tables = seeds.map((seed) => tableOf(own.filter((row) => row.seed === seed)));
    const bySplit = <T>(of: (split: Split) => T) =>
      Object.fromEntries(SPLITS.map((split) => [split, of(split)])) as Record<Split, T>;
    const solve = bySplit((split) => tables.map((table) => table[split].solve));
    return {
      ...{ model, seeds, solve },
      tasks: Math.min(...tables.flatMap((table) => SPLITS.map((split) => table[split].n))),
      mean: bySplit((split) => mean(solve[split]) ?? 0),
      sd: bySplit((split) => sd(solve[split])),
    };
  });
}
