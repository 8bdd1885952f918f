// Shares over templates at eight attempts: problems of one template are one cluster, and intervals are over templates.

import type { InferenceRow } from '../../../src/experiments/cat/infer.ts';
import { correctness } from '../../../src/experiments/cat/summary.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import { bootstrapInterval, mean } from '../../../src/stats/index.ts';

/** Number of attempts of a reference. */
export const SIZE = 8;
export const isHeldOut = ({ split }: InferenceRow): boolean => split === 'templates';

/** Difference in correctness of two estimators; null if one of them was not evaluated. */
export const correctnessDifference = (one: string, other: string) => (row: InferenceRow) => {
  const [first, second] = [one, other].map((id) => correctness(row, SIZE, id));
  return first === null || second === null ? null : first - second;
};

export const templateIn = ({ id }: InferenceRow): string => id.slice(0, id.indexOf('('));

/** Means over templates [95 %, bootstrap over templates]. Absent without values. */
export function templatesEstimate(
  name: string,
  rows: readonly InferenceRow[],
  of: (row: InferenceRow) => number | null,
): Estimate | undefined {
  const byTemplate = (own: readonly InferenceRow[]): number[] => {
    const known = new Map<string, number[]>();
    for (const row of own) {
      const value = of(row);
      if (value !== null) known.set(templateIn(row), [...(known.get(templateIn(row)) ?? []), value]);
    }
    return [...known.values()].map((values) => mean(values) as number);
  };
  const values = byTemplate(rows);
  if (values.length === 0) return undefined;
  const seeds = [...new Set(rows.map(({ seed }) => seed))].sort((a, b) => a - b);
  const each = seeds.flatMap((seed) => {
    const value = mean(byTemplate(rows.filter((row) => row.seed === seed)));
    return value === null ? [] : [{ of: `sampling ${seed}`, value }];
  });
  return {
    name,
    word: null,
    n: values.length,
    mean: mean(values),
    each,
    interval: bootstrapInterval(values, (own) => mean([...own]) as number),
  };
}
