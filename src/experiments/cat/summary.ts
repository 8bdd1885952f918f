// Summary of rows of references: how often each estimator is correct by group size, split and kind, with intervals over problems; where it
// differs from the majority and which is correct there; problems that no attempt solves. It is computed only from rows.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { bootstrapInterval, mean } from '../../stats/index.ts';
import type { ProblemShare } from '../judge/estimate.ts';
import type { InferenceRow } from './infer.ts';

const meanOf = (values: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
};
const RESAMPLES = 4000;

/** `of` returns null for a row that does not count. */
export function shareOfRows(rows: readonly InferenceRow[], of: (row: InferenceRow) => number | null): ProblemShare {
  const byProblem = new Map<string, number[]>();
  const bySeed = new Map<number, number[]>();
  const add = <K>(map: Map<K, number[]>, key: K, value: number) => {
    const own = map.get(key);
    if (own) own.push(value);
    else map.set(key, [value]);
  };
  for (const row of rows) {
    const value = of(row);
    if (value === null) continue;
    add(byProblem, row.id, value);
    add(bySeed, row.seed, value);
  }
  const values = [...byProblem.values()].map((own) => meanOf(own));
  const seeds = [...new Set(rows.map(({ seed }) => seed))].sort((a, b) => a - b);
  return {
    problems: values.length,
    mean: mean(values),
    interval: bootstrapInterval(values, meanOf, { resamples: RESAMPLES }),
    seeds: seeds.map((seed) => mean(bySeed.get(seed) ?? [])),
  };
}

/**
 * Joins rows from several calls on the same problems and seeds, with all of their references. Attempts depend only on problem and seed, and
 * smaller groups use the first ones. Throws RangeError if two calls have different attempts.
 */
export function joinedRows(files: readonly (readonly InferenceRow[])[]): InferenceRow[] {
  const rows = new Map<string, InferenceRow>();
  for (const row of files.flat()) {
    const key = `${row.seed} ${row.id}`;
    const known = rows.get(key);
    if (!known) {
      rows.set(key, row);
      continue;
    }
    const [long, short] = known.answers.length < row.answers.length ? [row, known] : [known, row];
    if (short.answers.some((answer, i) => answer !== long.answers[i]))
      throw new RangeError(`seed ${row.seed} has two different groups of attempts at ${row.id}`);
    const references = { ...known.references };
    for (const [size, own] of Object.entries(row.references)) setOwn(references, size, { ...references[size], ...own });
    rows.set(key, { ...long, references });
  }
  return [...rows.values()];
}

const attemptsOf = ({ answers }: InferenceRow, size: number) => answers.slice(0, size);

/** 1 if the estimator is correct, null if unknown; `single`: mean over rollouts; `pass`: whether any of the group is correct. */
export function correctness(row: InferenceRow, size: number, estimator: string): number | null {
  if (row.truth === undefined) return null;
  const right = attemptsOf(row, size).map((answer) => Number(answer === row.truth));
  if (estimator === 'single') return meanOf(right);
  if (estimator === 'pass') return Number(right.includes(1));
  const reference = row.references[String(size)]?.[estimator];
  return reference ? Number(reference[0] === row.truth) : null;
}

/** The paired difference of two (estimator, size) on the same rows. */
export function pairedDifference(
  rows: readonly InferenceRow[],
  a: [string, number],
  b: [string, number],
): ProblemShare {
  return shareOfRows(rows, (row) => {
    const [one, other] = [correctness(row, a[1], a[0]), correctness(row, b[1], b[0])];
    return one === null || other === null ? null : one - other;
  });
}

/** How often the reference differs from the majority's answer, and which is correct there. */
export function disagreement(rows: readonly InferenceRow[], size: number, estimator = 'synthesis') {
  const differs = (row: InferenceRow): boolean | null => {
    const own = row.references[String(size)];
    if (!own?.[estimator] || !own.majority) return null;
    return own[estimator][0] !== own.majority[0];
  };
  const where = rows.filter((row) => differs(row) === true);
  return {
    share: shareOfRows(rows, (row) => (differs(row) === null ? null : Number(differs(row)))),
    right: shareOfRows(where, (row) => correctness(row, size, estimator)),
    majorityRight: shareOfRows(where, (row) => correctness(row, size, 'majority')),
  };
}

/** Groups without a correct attempt, and the share of them with a correct reference. */
export function rescues(rows: readonly InferenceRow[], size: number, estimator = 'synthesis') {
  const lost = rows.filter((row) => correctness(row, size, 'pass') === 0);
  return {
    share: shareOfRows(rows, (row) => {
      const pass = correctness(row, size, 'pass');
      return pass === null ? null : 1 - pass;
    }),
    rescued: shareOfRows(lost, (row) => correctness(row, size, estimator)),
  };
}

/** Groups in which all attempts give the same answer. */
export const unanimous = (rows: readonly InferenceRow[], size: number): InferenceRow[] =>
  rows.filter((row) => {
    const [first, ...rest] = attemptsOf(row, size);
    return first !== null && rest.every((answer) => answer === first);
  });

/** Share of groups whose reference equals the majority's answer, which needs no truth. */
export const agreement = (rows: readonly InferenceRow[], size: number, estimator: string): ProblemShare =>
  shareOfRows(rows, (row) => {
    const own = row.references[String(size)];
    return own?.[estimator] && own.majority ? Number(own[estimator][0] === own.majority[0]) : null;
  });
