// The answer to an environment's question in a few figures, such as `42% → 3%`: the reference condition of its finding, then the condition
// in question, and how certain they are.
import { type EnvironmentHeadline, eachText } from '../../findings/headline.ts';
import { barsOf, type FindingBar } from './bars.ts';

export function answerOf(headline: EnvironmentHeadline): string {
  const [from, to] = answered(headline);
  return `${figureOf(from)} → ${figureOf(to)}`;
}

/** Values are listed unit by unit if they differ too widely for a mean to be informative. */
const figureOf = ({ share, each }: FindingBar): string => (each ? eachText(each) : share.replace('under ', '<'));

/** The 95 % intervals of both means in percent, `[39–45] → [2–4]`; null if either is missing. */
export function intervalsOf(headline: EnvironmentHeadline): string | null {
  const [from, to] = answered(headline).map(({ interval }) => interval && bracketed(interval));
  return from && to ? `${from} → ${to}` : null;
}

/** The unit of an answer that lists one figure per unit, such as `in 5 seeds`; null if it has means. */
export const unitsOf = (headline: EnvironmentHeadline): string | null =>
  answered(headline).some(({ each }) => each) ? `in ${headline.n} ${headline.unit.replace('training ', '')}` : null;

const answered = (headline: EnvironmentHeadline): FindingBar[] => barsOf(headline).slice(0, 2);

const bracketed = ({ low, high }: { low: number; high: number }): string =>
  `[${Math.round(100 * low)}–${Math.round(100 * high)}]`;
