// Whether a rule is older than the rows that it judges, as a published sheet states it.

export const AGES = ['before', 'partly younger', 'younger', 'undated', 'unknown'] as const;
/** When a rule was registered: before all of its rows, after some, after all, unknown because the rows have no date, or unknown because
 *  the rule has none. */
export type AgeStatus = (typeof AGES)[number];

export interface Age {
  status: AgeStatus;
  /** The status in one sentence. */
  said: string;
}
