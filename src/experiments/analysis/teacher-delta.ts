// When a reward by reference has nothing left to teach: references that are right no more often than the rollouts they are made of.
// It imports nothing but text at run time: the page draws it beside the charts.

import { percent } from '../../lib/numbers.ts';
import type { RunRecord } from '../records/events.ts';

/** Steps that are looked at: one has a few groups, whose mean is noisy. Up to so much counts as nothing. */
const LAST = 5;
const NOTHING = 0.02;

/** Of a run's last steps so far; null while there is something to learn, before there are as many steps, and where the truth is the
 *  reward. */
export function taughtOut({ spec, rows }: Pick<RunRecord, 'spec' | 'rows'>, label: string): string | null {
  const deltas = rows.slice(-LAST).map(({ student }) => student.figures.teacherDelta ?? null);
  if (deltas.length < LAST || deltas.includes(null)) return null;
  const mean = deltas.reduce<number>((sum, delta) => sum + delta!, 0) / LAST;
  if (mean > NOTHING) return null;
  const points = percent(mean, 1, '');
  return `${label}, seed ${spec.seed}: teacher delta of the last ${LAST} steps ${points} points: references have nothing left to teach.`;
}
