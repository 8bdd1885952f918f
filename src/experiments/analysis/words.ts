// Number formatting of the statistics' sentences: shares as points and percent, p, seeds.
import { minus, percent as percentOf } from '../../lib/numbers.ts';

/** 0.304 → `30 points`; under 10 points with one decimal digit, without a trailing zero. */
export function points(share: number): string {
  return `${minus(pointDigits(share))} points`;
}
/** +30 points, −4.5 points. */
export function signedPoints(share: number): string {
  return `${share > 0 ? '+' : ''}${points(share)}`;
}
function pointDigits(share: number): string {
  const value = 100 * share;
  const text = Math.abs(value) < 9.95 ? value.toFixed(1) : value.toFixed(0);
  // Avoids a signed zero.
  return Number(text) === 0 ? '0' : text.replace(/\.0$/, '');
}

export const percent = (share: number): string => percentOf(share, 0);

/** `56% ± 3`; without the spread for a single value. */
export const rate = ({ mean, sd }: { mean: number; sd: number | null }): string =>
  percent(mean) + (sd === null ? '' : ` ± ${percentOf(sd, 0, '')}`);

/** `p = 0.0625`, `p < 0.0001`. */
export function pValue(p: number): string {
  return p < 0.0001 ? 'p < 0.0001' : `p = ${shortNumber(p)}`;
}

/** Three significant digits without trailing zeros. */
export function shortNumber(x: number): string {
  return minus(String(Number(x.toPrecision(3))));
}

export function pointInterval({ low, high }: { low: number; high: number }): string {
  return `${minus(pointDigits(low))} to ${minus(pointDigits(high))}`;
}

/** `41–43, 45` */
export function seedList(seeds: readonly number[]): string {
  const sorted = [...seeds].sort((a, b) => a - b);
  const runs: number[][] = [];
  for (const seed of sorted) {
    const last = runs.at(-1);
    if (last && seed === last[last.length - 1] + 1) last.push(seed);
    else runs.push([seed]);
  }
  return runs.map((run) => (run.length > 2 ? `${run[0]}–${run[run.length - 1]}` : run.join(', '))).join(', ');
}

/** Lower-cases the first letter, for the middle of a sentence. */
export const uncapital = (text: string): string => text[0].toLowerCase() + text.slice(1);

export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`;

/** Start of the sentences on held-out modes, by which the page finds them for a table. */
export const HELD_OUT = 'Held out of the basis only';

/** Verdict on a difference from the base that one evaluation cannot tell from noise. */
export const NO_CHANGE = 'no change is shown';
/** The same for one seed, which says just as little about the absence of a change. */
export const NO_CHANGE_OF_ONE = 'one seed cannot show so small a change';
