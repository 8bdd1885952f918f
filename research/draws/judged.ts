// Judges a question over training seeds and evaluation draws: the same rule and the same estimates, computed on means over the draws, with
// intervals over both.

import type { Estimate, Estimates } from '../../src/experiments/judge/estimate.ts';
import { judge, type Verdict, verdictText } from '../../src/experiments/judge/rule.ts';
import { three } from '../../src/lib/numbers.ts';
import { crossedMean, pairedT } from '../../src/stats/index.ts';
import { lineOf, presentEstimates } from '../judge/estimates.ts';
import type { Question } from '../judge/question.ts';
import type { HeadlineRows } from '../judge/types.ts';
import { drawsOfRead, type Redrawn } from './rows.ts';

export interface JudgedAgain {
  draws: number;
  estimates: Estimates;
  /** Keys of the estimates that differ between draws. */
  drawn: readonly string[];
  verdict: Verdict;
}

/**
 * Null if part of the question's data was not repeated, if no estimate depends on the draw, or if one that does has no interval over seeds
 * and draws.
 */
export function judgedAgain(question: Question, rows: HeadlineRows, redrawn: Redrawn): JudgedAgain | null {
  const draws = question.files.every(rows.has) ? drawsOfRead(question.read, rows, redrawn) : null;
  const own = draws && question.estimates(question.read(draws.whole));
  if (!own) return null;
  const each = draws.byDraw.map((one) => question.estimates(question.read(one)));
  const drawn: string[] = [];
  const estimates: Record<string, Estimate> = {};
  for (const [key, whole] of Object.entries(own)) {
    if (!whole) continue;
    estimates[key] = whole;
    const byDraw = each.map((one) => one?.[key]);
    if (byDraw.every((one) => one?.mean === byDraw[0]?.mean)) continue;
    const crossed = overSeedsAndDraws(whole, byDraw);
    if (!crossed) return null;
    estimates[key] = crossed;
    drawn.push(key);
  }
  const verdict = judge(question.rule, estimates);
  return drawn.length === 0 ? null : { draws: draws.byDraw.length, estimates, drawn, verdict };
}

/** For example `Judged over 8 evaluation draws as well: holds. Gain: .258 [.240 .275] (n = 5 training seeds, 95 % intervals).` */
export function againText(question: Question, { draws, estimates, drawn, verdict }: JudgedAgain): string {
  const { show = three, unit } = question;
  const line = lineOf(presentEstimates(estimates, drawn), { show, unit });
  return `Judged over ${draws} evaluation draws as well: ${verdictText(verdict)}. ${line}`;
}

/** The estimate with its interval over seeds and draws; null if its interval is not Student's over its units. */
function overSeedsAndDraws(whole: Estimate, byDraw: readonly (Estimate | undefined)[]): Estimate | null {
  const plain = pairedT(whole.each.map(({ value }) => value))?.interval;
  const isStudent = plain && whole.interval && Math.abs(plain.low - whole.interval.low) < 1e-9;
  if (!isStudent || byDraw.some((one) => one?.each.length !== whole.each.length)) return null;
  const values = whole.each.map((_, i) => byDraw.map((one) => one!.each[i].value));
  return { ...whole, interval: crossedMean(values)!.interval };
}
