// Estimates behind the verdicts of the characters' questions: values with their intervals, and the rows of arms at one effect.

import { BESIDE_A } from '../../environments/characters/task.ts';
import { two } from '../../lib/numbers.ts';
import { type PairedT, pairedT } from '../../stats/index.ts';
import type { Estimate, Estimates, Status } from '../judge/estimate.ts';
import { intervalText } from '../judge/estimate.ts';
import { isShort, type Leakage, leakageAt } from './leakage.ts';
import type { CurveRow } from './rows.ts';

/** ΔP of A at which all questions are judged. */
export const EFFECT = 0.3;
/** Fewest characters that must reach the effect under all compared arms. */
export const LEAST = 6;
/** Leakage counts as none if its interval lies within this of 0. */
export const NONE_WITHIN = 0.1;
/** The threshold ½: of leakage that counts as local, of A's own change that a gate lets through, of a rise that is taken back, of a rank. */
export const HALF = 0.5;

/** Evidence for a question: the estimates that its rule reads, all shown values in order, and notes. */
export interface Reading<Key extends string = string> {
  estimates: Estimates<Key>;
  figures: readonly Estimate[];
  /** For example arms that never reached the effect. */
  notes: readonly string[];
  /** Limits of the evidence that the verdict's word does not show, with numbers. */
  limits?(status: Status): readonly string[];
}

const estimateOf = (name: string, n: number, mean: number | null, paired: PairedT | null): Estimate => ({
  name,
  word: null,
  n: paired?.n ?? n,
  mean: paired?.mean ?? mean,
  interval: paired && { low: paired.interval.low, high: paired.interval.high },
  each: [],
});

/** A single pair has a mean and no interval. */
export const pairsEstimate = (
  name: string,
  { pairs, paired }: { pairs: readonly { difference: number }[]; paired: PairedT | null },
): Estimate => estimateOf(name, pairs.length, pairs.length === 1 ? pairs[0].difference : null, paired);

/** Leaves out values that were not measured. */
export function estimateOver(name: string, all: readonly (number | undefined)[]): Estimate {
  const values = all.filter((value) => value !== undefined);
  return estimateOf(name, values.length, values.length === 1 ? values[0] : null, pairedT(values));
}

/** The mean leakage of each arm, group by group. */
export const meansOf = (arms: readonly { kind: string; reached: readonly Leakage[] }[]): Estimate[] =>
  arms.flatMap(({ kind, reached }) =>
    BESIDE_A.map((group) =>
      estimateOver(
        `${kind}, ${group}`,
        reached.map(({ logit }) => logit[group]),
      ),
    ),
  );

/** A mean without an interval, for a rule. */
export const meanOnly = (mean: number | null, n = 0): Estimate => estimateOf('', n, mean, null);

export const isAbove = ({ interval }: Estimate): boolean => interval !== null && interval.low > 0;
const isBelow = ({ interval }: Estimate): boolean => interval !== null && interval.high < 0;
const isWithin = ({ interval }: Estimate): boolean =>
  interval !== null && interval.low >= -NONE_WITHIN && interval.high <= NONE_WITHIN;

/** Reads the rows that `is` selects at the effect. */
export function atEffect(rows: readonly CurveRow[], is: (row: CurveRow) => boolean, effect = EFFECT) {
  const all = rows.filter(is).map((row) => leakageAt(row, effect));
  return { reached: all.filter((one): one is Leakage => !isShort(one)), short: all.filter(isShort) };
}

type AtEffect = Pick<ReturnType<typeof atEffect>, 'reached' | 'short'>;

/** Number of trained characters with a row under all these arms, whether or not they reached the effect. */
export function countUnderAll(arms: readonly AtEffect[], who: (row: CurveRow) => unknown = ({ a }) => a.name): number {
  const names = arms.map(({ reached, short }) => new Set([...reached, ...short].map(({ row }) => who(row))));
  return [...(names[0] ?? [])].filter((one) => names.every((own) => own.has(one))).length;
}

/** Rounds down, so that a value below 0.30 never prints as 0.30. */
export const flooredHundredths = (most: number): number => Math.floor(most * 100) / 100;

/** `SDF on figa reaches ΔP .19`, for each row that never reached the effect. */
export const shortNotes = (arm: string, { short }: ReturnType<typeof atEffect>): string[] =>
  short.map(({ row, most }) => `${arm} on ${row.a.name} reaches ΔP ${two(flooredHundredths(most))}`);

/** `.74 [.52 .95]` */
export const estimateText = (estimate: Estimate): string =>
  estimate.mean === null ? 'none' : intervalText(estimate, two);

/** Note on the interval of a difference that is claimed to be none; empty if it lies within the margin and contains 0, since that needs no
 *  comment. */
export function samenessNotes(of: string, estimate: Estimate): string[] {
  if (estimate.interval === null) return [];
  const text = `${of}: ${estimateText(estimate)}`;
  if (isAbove(estimate) || isBelow(estimate)) {
    const within = isWithin(estimate) ? `, within the margin of ${two(NONE_WITHIN)}` : '';
    return [`${text}: the interval excludes 0, so that they differ${within}.`];
  }
  return isWithin(estimate) ? [] : [`${text}: not told apart. An interval this wide shows no equivalence.`];
}
