// Whether a rule is older than the rows that it judges, as a sheet has it.

export const AGES = ['before', 'partly younger', 'younger', 'undated', 'unknown'] as const;
/** Of a rule beside its rows: registered before all of them, younger than some, younger than all, not to be told since rows carry no date,
 *  or since the rule has none. */
export type AgeStatus = (typeof AGES)[number];

export interface Age {
  status: AgeStatus;
  /** In one sentence. */
  said: string;
}
