// An environment's questions grouped by content: a repeated one, on other bases or seeds or from another aspect, joins the first (`S1`,
// `S1-again`, `S1-seed2-on`), so that a result that holds once and is open elsewhere is read together.

import { STATUSES, type Status } from '../experiments/judge/estimate.ts';
import type { ShownQuestion } from './sheet.ts';

export interface Stem {
  /** For example `S1`. */
  id: string;
  /** There is at least one; the first was asked first. */
  entries: readonly ShownQuestion[];
}

/** Groups in the sheet's order. */
export function stemsOf(questions: readonly ShownQuestion[]): Stem[] {
  const stems = new Map<string, ShownQuestion[]>();
  for (const question of questions) {
    const id = stemOf(question.id);
    stems.set(id, [...(stems.get(id) ?? []), question]);
  }
  return [...stems].map(([id, entries]) => ({ id, entries }));
}

/** Number of questions by status, only for statuses that occur. */
export function statusCounts(questions: readonly ShownQuestion[]): { standing: Status; n: number }[] {
  return STATUSES.flatMap((standing) => {
    const n = questions.filter((question) => question.standing === standing).length;
    return n > 0 ? [{ standing, n }] : [];
  });
}

/** Returns `S1` for `S1-seed2-on`. */
export const stemOf = (id: string): string => id.split('-')[0];

/** For example `3 hold, 1 fails, 7 open`. */
export const countsOf = (questions: readonly ShownQuestion[]): string =>
  statusCounts(questions)
    .map(({ standing, n }) => `${n} ${n === 1 ? standing : (SEVERAL[standing] ?? standing)}`)
    .join(', ');

/** Plurals of statuses. */
export const SEVERAL: Partial<Record<Status, string>> = { holds: 'hold', fails: 'fail' };
