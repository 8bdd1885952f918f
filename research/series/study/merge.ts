// One run, known twice: as this machine trained it, and as it was published. A clone that trains a published run again (its
// kept steps are not published) must not lose the quarantines that the published one carried or was given.
import type { FinishedRun } from '../../../src/experiments/runs/finished.ts';

/** The record with more evaluations (an earlier one may have carried more quarantines), and every quarantine that either was given
 *  later; a run that trained otherwise than the published one stands alone. */
export function mergeRun(own: FinishedRun, published: FinishedRun | undefined): FinishedRun {
  if (!published || !trainsAlike(own, published)) return own;
  const { rerouted: replayed } = own;
  const has = new Set(replayed.map(({ shadow: control }) => JSON.stringify(control)));
  const lacking = published.rerouted.filter(({ shadow: control }) => !has.has(JSON.stringify(control)));
  const fuller = published.record.evals.length > own.record.evals.length ? published : own;
  if (fuller === own && lacking.length === 0) return own;
  return { ...fuller, rerouted: [...replayed, ...lacking] };
}

/** All runs of either, by key. */
export function mergeRuns(
  own: ReadonlyMap<string, FinishedRun>,
  published: ReadonlyMap<string, FinishedRun>,
): Map<string, FinishedRun> {
  const merged = new Map(published);
  for (const [key, run] of own) merged.set(key, mergeRun(run, published.get(key)));
  return merged;
}

/** Whether two runs of one key trained alike. */
export const trainsAlike = (a: FinishedRun, b: FinishedRun): boolean => training(a) === training(b);

/** The student's training alone, without its quarantines. */
function training({ record }: FinishedRun): string {
  const rows = record.rows.map((row) => ({ ...row, shadowCin: null, shadowNorms: null }));
  return JSON.stringify([record.graderVersion, rows]);
}
