// How the tables of `characters` write a mean over trained characters.

import { two } from '../../lib/numbers.ts';
import { mean, sd } from '../../stats/index.ts';

/** `.66 ± .25`; without a spread of one, and a dash of none. */
export function over(values: readonly (number | null | undefined)[], show: (value: number) => string = two): string {
  const known = values.flatMap((value) => value ?? []);
  const centre = mean(known);
  if (centre === null) return '–';
  const spread = sd(known);
  return spread === null ? show(centre) : `${show(centre)} ± ${show(spread)}`;
}
