// Formats numbers consistently: with a true minus sign, a dash for an unknown value, no sign for zero. Shares are in percent, times in
// words, bytes in powers of 1000 (base/bytes.ts).

export { bytesText } from '@projected-grpo-lab/base/bytes.ts';

type Maybe = number | null | undefined;

/** Text for an unknown number. */
export const NONE = '–';

/** Replaces the first hyphen by a minus sign, and removes it from zero. */
export const minus = (text: string): string => text.replace('-', '−').replace(/^−(0?\.?0+)$/, '$1');

const known = (x: Maybe, text: (x: number) => string): string => (x === null || x === undefined ? NONE : text(x));

/** 0.4213 → `42.1%`; probes' verdicts use the unit ` %` or none. */
export const percent = (x: Maybe, digits = 1, unit = '%'): string =>
  known(x, (share) => `${minus((100 * share).toFixed(digits))}${unit}`);

/** A relative error with two significant digits: `1.1 %`. */
export const errorShare = (share: number): string => `${(100 * share).toPrecision(2)} %`;

/** Percentage points with a sign: −0.31 → `−31.0`. */
export const points = (x: Maybe): string => known(x, (share) => `${share > 0 ? '+' : ''}${percent(share, 1, '')}`);

/** For example `0.421`, `−0.020`. */
export const decimal = (x: Maybe, digits = 3): string => known(x, (value) => minus(value.toFixed(digits)));

/** A number as in the docs, without a leading zero: `.15`, `−.02`. */
const short = (x: Maybe, digits: number): string =>
  known(x, (value) => minus(value.toFixed(digits).replace(/^(-?)0\./, '$1.')));
export const two = (x: Maybe): string => short(x, 2);
export const three = (x: Maybe): string => short(x, 3);

/** A bound as in the docs: `.05`, `.20`, `0`, `1`, `.125`. */
export const inWords = (value: number): string =>
  Number.isInteger(value) ? minus(String(value)) : short(value, Math.max(2, String(value).split('.')[1].length));

/** An interval to append to its value, ` [88, 100]`; empty without one. Docs use ` ` or ` to ` between the ends. */
export const inBrackets = (
  interval: { low: number; high: number } | null | undefined,
  show: (end: number) => string,
  between = ', ',
): string => (interval ? ` [${show(interval.low)}${between}${show(interval.high)}]` : '');

/** Three significant digits, two below 0.001: 12.3, 0.0123, 1.2e−5. */
export function significant(x: number | null | undefined): string {
  if (x === null || x === undefined) return '–';
  const text =
    x !== 0 && Math.abs(x) < 1e-3 ? x.toExponential(1).replace('.0e', 'e') : String(Number(x.toPrecision(3)));
  return text.replaceAll('-', '−');
}

/** 47 → `47 s`, 125 → `2 min 5 s`, 5400 → `1 h 30 min`. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  const min = Math.floor(s / 60);
  if (min < 60) return s % 60 ? `${min} min ${s % 60} s` : `${min} min`;
  return min % 60 ? `${Math.floor(min / 60)} h ${min % 60} min` : `${Math.floor(min / 60)} h`;
}

/** A date such as `20 Nov, 15:04`, in the user's time zone. */
export function moment(milliseconds: number): string {
  return new Date(milliseconds).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
}
