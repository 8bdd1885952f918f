// The answer to an environment's question in a few figures, such as `45% → 1%`: the first condition of its finding, which the others are
// compared with, and the one that the question is about; and how well they are known.
import { type EnvironmentHeadline, eachText } from '../../findings/headline.ts';
import { barsOf, type FindingBar } from './bars.ts';

export function answerOf(headline: EnvironmentHeadline): string {
  const [from, to] = barsOf(headline);
  return `${figureOf(from)} → ${figureOf(to)}`;
}

/** Where units differ too widely for a mean to tell, one by one. */
const figureOf = ({ share, each }: FindingBar): string => (each ? eachText(each) : share.replace('under ', '<'));

/** What stands small beside the answer: both means' 95 % intervals in percent, `[43–46] → [1–2]`, or, where the answer has one figure for
 *  each unit, `in 5 training seeds`. Null where neither is known. */
export function certaintyOf(headline: EnvironmentHeadline): string | null {
  const both = barsOf(headline).slice(0, 2);
  if (both.some(({ each }) => each)) return `in ${headline.n} ${headline.unit}`;
  const [from, to] = both.map(({ interval }) => interval && `[${rounded(interval.low)}–${rounded(interval.high)}]`);
  return from && to ? `${from} → ${to}` : null;
}

const rounded = (share: number): number => Math.round(100 * share);
