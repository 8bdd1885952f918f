// What the verdicts of the characters' questions are made of: figures with their interval, and the arms of rows at one effect.

import { two } from '../../lib/numbers.ts';
import { type PairedT, pairedT } from '../../stats/index.ts';
import type { Judgeable } from '../judge/rule.ts';
import { isShort, type Leakage, leakageAt } from './leakage.ts';
import type { CurveRow } from './rows.ts';

/** ΔP of A at which all questions are judged. */
export const EFFECT = 0.3;
/** Characters that have to have the effect under all arms that are compared. */
export const LEAST = 6;
/** Leakage whose interval lies within this of 0 is none. */
export const NONE_WITHIN = 0.1;

/** A mean over trained characters with its 95% interval; null below two. */
export interface BoundedEstimate {
  name: string;
  n: number;
  mean: number | null;
  sd: number | null;
  low: number | null;
  high: number | null;
}

export interface Judged {
  /** Begins with one word of: holds, in part, fails, open. */
  verdict: string;
  figures: readonly BoundedEstimate[];
  /** Arms that never had the effect, and what else has to be said. */
  notes: readonly string[];
  /** What the rows show that the verdict's word does not, with figures; absent where nothing does. */
  limits?: readonly string[];
}

export const ofPaired = (name: string, paired: PairedT | null, n = 0): BoundedEstimate => ({
  ...{ name, n: paired?.n ?? n, mean: paired?.mean ?? null, sd: paired?.sd ?? null },
  ...{ low: paired?.interval.low ?? null, high: paired?.interval.high ?? null },
});

/** Of one pair there is a mean, and no interval. */
export const ofPairs = (
  name: string,
  { pairs, paired }: { pairs: readonly { difference: number }[]; paired: PairedT | null },
): BoundedEstimate => ({
  ...ofPaired(name, paired, pairs.length),
  ...(pairs.length === 1 && { mean: pairs[0].difference }),
});

/** Without those that were not asked. */
export function over(name: string, all: readonly (number | undefined)[]): BoundedEstimate {
  const values = all.filter((value) => value !== undefined);
  return { ...ofPaired(name, pairedT(values), values.length), ...(values.length === 1 && { mean: values[0] }) };
}

export const isAbove = ({ low }: BoundedEstimate, bound = 0): boolean => low !== null && low > bound;
export const isBelow = ({ high }: BoundedEstimate, bound = 0): boolean => high !== null && high < bound;
export const isWithin = ({ low, high }: BoundedEstimate, bound = NONE_WITHIN): boolean =>
  low !== null && high !== null && low >= -bound && high <= bound;

/** Of one arm; those of a run's model without its quarantine by the model's name. */
export function atEffect(rows: readonly CurveRow[], is: (row: CurveRow) => boolean, effect = EFFECT) {
  const all = rows.filter(is).map((row) => leakageAt(row, effect));
  return {
    reached: all.filter((one): one is Leakage => !isShort(one)),
    short: all.filter(isShort),
  };
}

/** A figure as a rule reads it; `asked`: characters of whom it was asked. */
export const judgeable = ({ n, mean, low, high }: BoundedEstimate, asked?: number): Judgeable => ({
  ...{ n, asked, mean, each: [] },
  interval: low === null || high === null ? null : { low, high },
});

/** A mean alone, which has no interval. */
export const meanOnly = (mean: number | null, n = 0, asked?: number): Judgeable => ({
  n,
  asked,
  mean,
  interval: null,
  each: [],
});

type AtEffect = Pick<ReturnType<typeof atEffect>, 'reached' | 'short'>;

/** Trained characters of whom all these arms have a row, whether or not they have the effect. */
export function askedUnder(arms: readonly AtEffect[], who: (row: CurveRow) => unknown = ({ a }) => a.name): number {
  const asked = arms.map(({ reached, short }) => new Set([...reached, ...short].map(({ row }) => who(row))));
  return [...(asked[0] ?? [])].filter((one) => asked.every((own) => own.has(one))).length;
}

/** Cut off, not rounded: what stays below .30 is not to read as .30. */
export const reached = (most: number): number => Math.floor(most * 100) / 100;

/** `SDF on figa reaches .19`, for each that never has the effect. */
export const shortNotes = (arm: string, { short }: ReturnType<typeof atEffect>): string[] =>
  short.map(({ row, most }) => `${arm} on ${row.a.name} reaches ΔP ${two(reached(most))}`);

/** `.74 [.52 .95]`, as sentences have it */
export const estimateText = (
  { mean, low, high }: Pick<BoundedEstimate, 'mean' | 'low' | 'high'>,
  show = two,
): string =>
  mean === null ? 'none' : low === null || high === null ? show(mean) : `${show(mean)} [${show(low)} ${show(high)}]`;

/** `.74 [.52 .95], n 7` */
export const boundedText = (figure: BoundedEstimate): string => `${estimateText(figure, two)}, n ${figure.n}`;

/**
 * Of a difference that is claimed to be none: what its interval says. Null where it lies within the margin and holds 0, so that
 * nothing needs to be added.
 */
export function sameness(of: string, figure: BoundedEstimate): string | null {
  if (figure.low === null || figure.high === null) return null;
  const said = `${of}: ${estimateText(figure)}`;
  if (isAbove(figure) || isBelow(figure)) {
    const within = isWithin(figure) ? `, within the margin of ${two(NONE_WITHIN)}` : '';
    return `${said}: the interval excludes 0, so that they differ${within}.`;
  }
  return isWithin(figure) ? null : `${said}: not told apart. An interval this wide shows no equivalence.`;
}
