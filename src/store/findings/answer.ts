// The answer to an environment's question in a few figures, such as `42% → 3%`: the first condition of its finding, which the others are
// compared with, and the one that the question is about.
import type { EnvironmentHeadline } from '../../findings/headline.ts';
import { barsOf, type FindingBar } from './bars.ts';

export function answerOf(headline: EnvironmentHeadline): string {
  const [from, to] = barsOf(headline);
  return `${figureOf(from)} → ${figureOf(to)}`;
}

/** Where units differ too widely for a mean to tell, their least and greatest. */
function figureOf({ share, each = [] }: FindingBar): string {
  if (each.length === 0) return share.replace('under ', '<');
  const percents = each.map((value) => Math.round(100 * value));
  return `${Math.min(...percents)}–${Math.max(...percents)}%`;
}
