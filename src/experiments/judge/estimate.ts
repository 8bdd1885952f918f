// The input of a verdict: a mean over units with its interval, and how it is printed in verdicts, tables and on the page.
import { inBrackets, NONE, three } from '../../lib/numbers.ts';
import { type Interval, mean as meanOf, sd } from '../../stats/index.ts';

/** Status of a question, the same vocabulary for all; the rule's own word is shown beside it. */
export const STATUSES = ['holds', 'in part', 'fails', 'open', 'not run'] as const;
export type Status = (typeof STATUSES)[number];

/** A mean over units. */
export interface Estimate {
  name: string;
  /** The rule's word on this single estimate; null if it is judged with others, or not at all. */
  word: string | null;
  /** Number of units in the mean. */
  n: number;
  /** Number of units measured, if some have no value (a character that never reached the effect). */
  asked?: number;
  mean: number | null;
  /** 95% interval; null with too few units. */
  interval: { low: number; high: number } | null;
  /** Values by unit, or by sampling seed if there are many units, each with its name. */
  each: readonly { of: string; value: number }[];
}

/** Estimates by the keys of a rule; a key without rows is absent. */
export type Estimates<Key extends string = string> = { readonly [K in Key]?: Estimate };

/** A mean over problems of each problem's mean over seeds. */
export interface ProblemShare {
  problems: number;
  /** Null without problems. */
  mean: number | null;
  /** 95% bootstrap interval over problems; null below two. */
  interval: Interval | null;
  /** Mean of each seed, in order. */
  seeds: readonly (number | null)[];
}

/** A mean and its interval, `.15 [.10 .20]`; a dash if there is none. */
export function intervalText(
  { mean, interval }: Pick<Estimate, 'mean' | 'interval'>,
  show: (value: number) => string = three,
): string {
  return mean === null ? NONE : show(mean) + inBrackets(interval, show, ' ');
}

/** `.912 ± .011`; without a spread for a single value. A dash for a value that was not measured (NaN). */
export function spreadOf(
  values: readonly (number | null | undefined)[],
  show: (value: number) => string = three,
): string {
  const known = values.flatMap((value) => value ?? []);
  const [centre, spread] = [meanOf(known), sd(known)];
  if (centre === null || Number.isNaN(centre)) return NONE;
  return spread === null ? show(centre) : `${show(centre)} ± ${show(spread)}`;
}

/** `.652 .598; mean .625 ± .038 [.55 .70]`: values by unit, with the interval if there is one. */
export function eachLine({ each, mean, interval }: Estimate, show: (value: number) => string = three): string {
  const values = each.map(({ value }) => value);
  const units = values.length > 0 ? `${values.map(show).join(' ')}; ` : '';
  const spread = values.length > 1 ? ` ± ${show(sd(values) ?? 0)}` : '';
  return mean === null ? '–' : `${units}mean ${show(mean)}${spread}${inBrackets(interval, show, ' ')}`;
}
