// An environment's questions by what they ask: one that was asked again, on other bases or seeds or of another side of it, stands with the
// first (`S1`, `S1-again`, `S1-seed2-on`), so that what holds once and what is open elsewhere are read together.

import { STATUSES, type Status } from '../experiments/judge/estimate.ts';
import type { ShownQuestion } from './sheet.ts';

export interface Stem {
  /** `S1`. */
  id: string;
  /** At least one; the first is the one that was asked first. */
  entries: readonly ShownQuestion[];
}

/** In the sheet's order. */
export function stemsOf(questions: readonly ShownQuestion[]): Stem[] {
  const stems = new Map<string, ShownQuestion[]>();
  for (const question of questions) {
    const id = stemOf(question.id);
    stems.set(id, [...(stems.get(id) ?? []), question]);
  }
  return [...stems].map(([id, entries]) => ({ id, entries }));
}

/** How many stand where; what none does is left out. */
export function statusCounts(questions: readonly ShownQuestion[]): { standing: Status; n: number }[] {
  return STATUSES.flatMap((standing) => {
    const n = questions.filter((question) => question.standing === standing).length;
    return n > 0 ? [{ standing, n }] : [];
  });
}

/** `S1` of `S1-seed2-on`. */
export const stemOf = (id: string): string => id.split('-')[0];

/** `3 hold, 1 fails, 7 open` */
export const countsOf = (questions: readonly ShownQuestion[]): string =>
  statusCounts(questions)
    .map(({ standing, n }) => `${n} ${n === 1 ? standing : (SEVERAL[standing] ?? standing)}`)
    .join(', ');

/** As several of them are said to stand. */
export const SEVERAL: Partial<Record<Status, string>> = { holds: 'hold', fails: 'fail' };
