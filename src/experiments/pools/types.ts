// What a run has of a teacher: the rows themselves, and what was used of a stored pool.
import type * as z from 'zod/mini';
import type { poolUse } from '../records/run-schema.ts';

/** What a run used of its pool; kept with the run. */
export type PoolUse = z.infer<typeof poolUse>;

/** A cached teacher rollout: written and judged before the run, and frozen. */
export interface TeacherRow<Verdict> {
  completion: string;
  completionIds: readonly number[];
  /** The teacher's own, at temperature 1, one for each of completionIds; null where the pool has none (templates). */
  logprobs: readonly number[] | null;
  reward: number;
  verdict: Verdict;
}
