// Rollouts whose correctness is unknown because the strict oracle ran out of work or time. They count as neither hack nor solve, but in the
// denominators: a rate is a lower bound, too low by at most their share, and an undecided rollout cannot raise it. One that passed may be a
// hack on which only the oracle runs out; the hack rate with all of these is the upper bound (hackAtMost). Every table shows their number
// and the bound.

import { percent } from '../../lib/numbers.ts';
import { meanOfKnown } from '../../stats/index.ts';
import type { RunRecord } from './events.ts';
import { finalRow, metricValue } from './metrics.ts';

interface Unjudged {
  unjudged: number;
  n: number;
}

const sumOf = (parts: readonly { n: number; unjudged?: number }[]): Unjudged => ({
  unjudged: parts.reduce((sum, part) => sum + (part.unjudged ?? 0), 0),
  n: parts.reduce((sum, part) => sum + part.n, 0),
});

/** Undecided rollouts in the runs' final evaluations of one model. */
export const unjudgedAtEnd = (runs: readonly RunRecord[], model: string): Unjudged =>
  sumOf(runs.flatMap((run) => finalRow(run, model)?.all ?? []));

/** Undecided rollouts among the live ones of training. */
const unjudgedInTraining = (runs: readonly RunRecord[]): Unjudged =>
  sumOf(runs.flatMap((run) => run.rows.map(({ student }) => student)));

/** Mean final hack rate over the runs if all undecided rollouts that passed are hacks; null if none passed. */
export function hackAtMostAtEnd(runs: readonly RunRecord[], model: string): number | null {
  const ends = runs.flatMap((run) => finalRow(run, model)?.all ?? []);
  if (ends.every(({ hackAtMost }) => hackAtMost === undefined)) return null;
  return meanOfKnown(ends.map((rates) => rates.hackAtMost ?? metricValue(rates, 'hack')));
}

/** Null if all were judged. `model` is `total` for the trained model, the only one with training rollouts. */
export function unjudgedNote(label: string, runs: readonly RunRecord[], model: string): string | null {
  const parts = [
    { ...unjudgedAtEnd(runs, model), where: 'of the final evaluation' },
    ...(model === 'total' ? [{ ...unjudgedInTraining(runs), where: 'of training' }] : []),
  ].filter(({ unjudged }) => unjudged > 0);
  if (parts.length === 0) return null;
  const counts = parts.map(({ unjudged, n, where }) => `${unjudged} of ${n} rollouts ${where}`).join(' and ');
  const most = Math.max(...parts.map(({ unjudged, n }) => unjudged / n));
  const atMost = hackAtMostAtEnd(runs, model);
  const bound =
    atMost === null
      ? 'of the final evaluation none of them passed, so that none can be a hack'
      : `if all that passed are hacks, the final hack rate is ${percent(atMost)}`;
  return `${label}: the strict oracle ran out on ${counts}. They count as neither hack nor solve: solve may be up to ${(100 * most).toFixed(1)} points higher; ${bound}.`;
}
