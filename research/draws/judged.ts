// A question judged over training seeds and evaluation draws: the same rule and the same estimates, on the means over the draws, with intervals
// over both.

import type { Estimate, Estimates } from '../../src/experiments/judge/estimate.ts';
import { judge, type Verdict, verdictText } from '../../src/experiments/judge/rule.ts';
import { three } from '../../src/lib/numbers.ts';
import { crossedMean, pairedT } from '../../src/stats/index.ts';
import { lineOf, presentEstimates } from '../judge/estimates.ts';
import type { Question } from '../judge/question.ts';
import type { HeadlineRows } from '../judge/types.ts';
import { type Draws, drawsOfRead, type Redrawn } from './rows.ts';

export interface JudgedAgain {
  draws: number;
  estimates: Estimates;
  verdict: Verdict;
}

/** Null where not everything that the question reads was evaluated again, or its rows do not answer it. */
export function judgedAgain(question: Question, rows: HeadlineRows, redrawn: Redrawn): JudgedAgain | null {
  const draws = question.files.every(rows.has) ? drawsOfRead(question.read, rows, redrawn) : null;
  const estimates = draws && estimatesOver(question, draws);
  return estimates && { draws: draws.byDraw.length, estimates, verdict: judge(question.rule, estimates) };
}

/** Such as `Judged over 8 evaluation draws as well: holds. Gain: .258 [.240 .275] (n = 5 training seeds, 95 % intervals).` */
export function againText(question: Question, { draws, estimates, verdict }: JudgedAgain): string {
  const keys = question.line ?? Object.keys(question.names);
  const { show = three, unit } = question;
  const line = lineOf(presentEstimates(estimates, keys), { show, unit });
  return `Judged over ${draws} evaluation draws as well: ${verdictText(verdict)}. ${line}`;
}

/** Null where the rows do not answer the question. */
export function estimatesOver(question: Question, { byDraw, whole }: Draws): Estimates | null {
  const own = question.estimates(question.read(whole));
  if (!own) return null;
  const all = byDraw.map((rows) => question.estimates(question.read(rows)));
  const crossed = Object.entries(own).flatMap(([key, one]) =>
    one
      ? [
          [
            key,
            overSeedsAndDraws(
              one,
              all.map((draw) => draw?.[key]),
            ),
          ] as const,
        ]
      : [],
  );
  return Object.fromEntries(crossed);
}

/** The estimate with its interval over seeds and draws; unchanged where it is no Student's interval over its units. */
function overSeedsAndDraws(whole: Estimate, byDraw: readonly (Estimate | undefined)[]): Estimate {
  const plain = pairedT(whole.each.map(({ value }) => value))?.interval;
  const isStudent = plain && whole.interval && Math.abs(plain.low - whole.interval.low) < 1e-9;
  if (!isStudent || byDraw.some((one) => one?.each.length !== whole.each.length)) return whole;
  const values = whole.each.map((_, i) => byDraw.map((one) => one!.each[i].value));
  return { ...whole, interval: crossedMean(values)!.interval };
}
