// How an estimate is written, in verdicts, tables and on the page.
import { three } from '../../lib/numbers.ts';
import type { Estimate } from './types.ts';

/** A mean and its interval, `.15 [.10 .20]`; a dash where there is none. */
export function shown(
  { mean, interval }: Pick<Estimate, 'mean' | 'interval'>,
  show: (value: number) => string = three,
): string {
  if (mean === null) return '–';
  return interval ? `${show(mean)} [${show(interval.low)} ${show(interval.high)}]` : show(mean);
}
