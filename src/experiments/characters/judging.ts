// What the verdicts of the characters' questions are made of: figures with their interval, and the arms of rows at one effect.
import { type PairedT, pairedT } from '../../stats/index.ts';
import { isShort, type Leakage, leakageAt } from './leakage.ts';
import type { CurveRow } from './rows.ts';

/** ΔP of A at which all questions are judged. */
export const EFFECT = 0.3;
/** Characters that have to have the effect under all arms that are compared. */
export const LEAST = 6;
/** Leakage whose interval lies within this of 0 is none. */
export const NONE_WITHIN = 0.1;

/** A mean over trained characters with its 95% interval; null below two. */
export interface Figure {
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
  figures: readonly Figure[];
  /** Arms that never had the effect, and what else has to be said. */
  notes: readonly string[];
}

export const ofPaired = (name: string, paired: PairedT | null, n = 0): Figure => ({
  ...{ name, n: paired?.n ?? n, mean: paired?.mean ?? null, sd: paired?.sd ?? null },
  ...{ low: paired?.interval.low ?? null, high: paired?.interval.high ?? null },
});

/** Without those that were not asked. */
export function over(name: string, all: readonly (number | undefined)[]): Figure {
  const values = all.filter((value) => value !== undefined);
  return { ...ofPaired(name, pairedT(values), values.length), ...(values.length === 1 && { mean: values[0] }) };
}

export const isAbove = ({ low }: Figure, bound = 0): boolean => low !== null && low > bound;
export const isBelow = ({ high }: Figure, bound = 0): boolean => high !== null && high < bound;
export const isWithin = ({ low, high }: Figure, bound = NONE_WITHIN): boolean =>
  low !== null && high !== null && low >= -bound && high <= bound;

/** Of one arm; those of a run's model without its quarantine by the model's name. */
export function atEffect(rows: readonly CurveRow[], is: (row: CurveRow) => boolean, effect = EFFECT) {
  const all = rows.filter(is).map((row) => leakageAt(row, effect));
  return {
    reached: all.filter((one): one is Leakage => !isShort(one)),
    short: all.filter(isShort),
  };
}

/** Cut off, not rounded: what stays below .30 is not to read as .30. */
export const reached = (most: number): number => Math.floor(most * 100) / 100;

/** `SDF on figa reaches .19`, for each that never has the effect. */
export const shortNotes = (arm: string, { short }: ReturnType<typeof atEffect>): string[] =>
  short.map(({ row, most }) => `${arm} on ${row.a.name} reaches ΔP ${two(reached(most))}`);

export const two = (value: number): string => value.toFixed(2).replace(/^(-?)0\./, '$1.');

/** `.74 [.52 .95], n 7` */
export function figureText({ mean, low, high, n }: Figure): string {
  if (mean === null) return `none, n ${n}`;
  return low === null || high === null ? `${two(mean)}, n ${n}` : `${two(mean)} [${two(low)} ${two(high)}], n ${n}`;
}
