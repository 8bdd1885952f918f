// How the figures of environments' questions are written, in verdicts, tables and on the page: as in the docs, without the zero before the
// point. A leaf.
import type { Estimate } from './types.ts';

const minus = (text: string): string => text.replace('-', '−').replace(/^−?(\.0+)$/, '$1');
const digits = (value: number, count: number): string => minus(value.toFixed(count).replace(/^(-?)0\./, '$1.'));
/** `.15`, `−.02`; never −.00. */
export const two = (value: number): string => digits(value, 2);
export const three = (value: number): string => digits(value, 3);

/** A bound: `.05`, `.20`, `0`, `1`, `.125`. */
export const inWords = (value: number): string =>
  Number.isInteger(value) ? minus(String(value)) : digits(value, Math.max(2, String(value).split('.')[1].length));

/** A mean and its interval, `.15 [.10 .20]`; a dash where there is none. */
export function shown({ mean, interval }: Pick<Estimate, 'mean' | 'interval'>, show = three): string {
  if (mean === null) return '–';
  return interval ? `${show(mean)} [${show(interval.low)} ${show(interval.high)}]` : show(mean);
}
