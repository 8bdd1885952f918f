// The answer to an environment's question in a few figures, such as `42% → 3%`: the first condition of its finding, which the others are
// compared with, and the one that the question is about; and how well they are known.
import { type EnvironmentHeadline, eachText } from '../../findings/headline.ts';
import { barsOf, type FindingBar } from './bars.ts';

export function answerOf(headline: EnvironmentHeadline): string {
  const [from, to] = answered(headline);
  return `${figureOf(from)} → ${figureOf(to)}`;
}

/** Units are given one by one if they differ too widely for a mean to tell. */
const figureOf = ({ share, each }: FindingBar): string => (each ? eachText(each) : share.replace('under ', '<'));

/** Both means' 95 % intervals in percent, `[39–45] → [2–4]`; null where either has none. */
export function intervalsOf(headline: EnvironmentHeadline): string | null {
  const [from, to] = answered(headline).map(({ interval }) => interval && bracketed(interval));
  return from && to ? `${from} → ${to}` : null;
}

/** Unit of an answer with one figure for each: `in 5 seeds`; null where it has means. */
export const unitsOf = (headline: EnvironmentHeadline): string | null =>
  answered(headline).some(({ each }) => each) ? `in ${headline.n} ${headline.unit.replace('training ', '')}` : null;

const answered = (headline: EnvironmentHeadline): FindingBar[] => barsOf(headline).slice(0, 2);

const bracketed = ({ low, high }: { low: number; high: number }): string =>
  `[${Math.round(100 * low)}–${Math.round(100 * high)}]`;
