// Whether a question's rule is older than the rows that it judges. The rule's commit is declared (registrations.ts), the rows have dates,
// and the verdict states which came first. A rule written after its rows were known may have been fitted to them.

import { Sha256 } from '@projected-grpo-lab/base/sha256.ts';
import type { Rule } from '../../src/experiments/judge/rule.ts';
import type { Age } from '../../src/findings/age.ts';

/** The first commit in which the rule has its present conditions and bounds, in code or in the docs' words. */
export interface Registration {
  /** Fingerprint of the rule: a changed rule has another one and must be registered again. */
  rule: string;
  /** Null if the commit is not in this repository's history. */
  commit: string | null;
  /** Time of that commit, ISO 8601. */
  at?: string;
}

/** The latest commit of a file whose rows have no date; its rows are at least that old. */
export interface Publication {
  commit: string;
  at: string;
}

/** When a file's rows were made, in milliseconds since the epoch. */
export interface RowDates {
  dates: readonly number[];
  /** Number of rows without a date, and the time by which all of them were published. */
  undated: number;
  publishedBy?: number;
}

/** A rule's conditions without its words: renaming a verdict does not change the rule. */
export const factsOf = ({ needs = [], optional = [], cases }: Rule): unknown => ({
  needs: needs.map(({ of, least }) => ({ of, least })),
  optional,
  cases: cases.map(({ status, when = null }) => ({ status, when })),
});

/** Twelve hex digits that identify a rule's conditions. */
export const fingerprintOf = (facts: unknown): string =>
  new Sha256()
    .update(new TextEncoder().encode(JSON.stringify(facts)))
    .digest()
    .slice(0, 12);

/** Dates come from a row itself or from its provenance. */
export function datesOf(rows: readonly unknown[]): RowDates {
  const dates = rows.flatMap((row) => {
    const { createdAt, by } = row as { createdAt?: unknown; by?: { createdAt?: unknown } };
    const at = createdAt ?? by?.createdAt;
    return typeof at === 'number' ? [at] : [];
  });
  return { dates, undated: rows.length - dates.length };
}

/**
 * @param fingerprint of the present rule
 * @param files that the rule judges; null if there are none
 */
export function ageOf(
  registration: Registration | undefined,
  fingerprint: string,
  files: readonly RowDates[],
): Age | null {
  const dates = files.flatMap((file) => file.dates);
  const undated = files.reduce((sum, file) => sum + file.undated, 0);
  const all = dates.length + undated;
  if (all === 0) return null;
  if (!registration?.commit || !registration.at)
    return { status: 'unknown', said: 'The history does not tell when its rule was written.' };
  const { commit, at, rule } = registration;
  if (rule !== fingerprint)
    return { status: 'unknown', said: `The rule has changed since it was registered (commit ${commit}).` };
  const registered = Date.parse(at);
  const known = dates.filter((date) => date < registered);
  const published = files.filter(({ undated, publishedBy = Infinity }) => undated > 0 && publishedBy < registered);
  const older = known.length + published.reduce((sum, file) => sum + file.undated, 0);
  const open = undated - (older - known.length);
  const first = Math.min(...dates, ...published.map(({ publishedBy = Infinity }) => publishedBy));
  const head = `Rule of ${day(registered)} (commit ${commit})`;
  const count = (n: number) => n.toLocaleString('en-US');
  if (older > 0) {
    const which = older === all ? 'its rows' : `${count(older)} of its ${count(all)} rows`;
    const from = `${known.includes(first) ? 'from' : 'published by'} ${day(first, day(first) === day(registered))}`;
    const rest = open > 0 ? `; ${count(open)} ${open === 1 ? 'carries' : 'carry'} no date` : '';
    return {
      status: older === all ? 'younger' : 'partly younger',
      said: `${head}, younger than ${which} (${from})${rest}.`,
    };
  }
  if (open > 0) {
    const which = open === all ? 'its rows carry no date' : `${count(open)} of its ${count(all)} rows carry no date`;
    return { status: 'undated', said: `${head}; ${which}.` };
  }
  return { status: 'before', said: `Registered before its first row (commit ${commit}, ${day(registered)}).` };
}

/** Formats a date as `3 Nov 2026`, in every locale. @param isTimed adds the time: `3 Nov 2026, 18:48 UTC` */
function day(at: number, isTimed = false): string {
  const [, date, month, year, time] = new Date(at).toUTCString().split(' ');
  return `${Number(date)} ${month} ${year}${isTimed ? `, ${time.slice(0, 5)} UTC` : ''}`;
}
