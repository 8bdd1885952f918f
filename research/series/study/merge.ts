// Merges a run trained on this machine with the same published run. A clone that trains a published run again (its stored steps are not
// published) must not lose the quarantines of the published one.
import type { FinishedRun } from '../../../src/experiments/runs/finished.ts';

/**
 * The record with more evaluations (an earlier one may have more quarantines), and every quarantine that was replayed later in either; a
 * run that trained differently from the published one stays as it is.
 */
export function mergeRun(own: FinishedRun, published: FinishedRun | undefined): FinishedRun {
  if (!published || !trainsAlike(own, published)) return own;
  const { rerouted: replayed } = own;
  const has = new Set(replayed.map(({ shadow: control }) => JSON.stringify(control)));
  const lacking = published.rerouted.filter(({ shadow: control }) => !has.has(JSON.stringify(control)));
  const fuller = published.record.evals.length > own.record.evals.length ? published : own;
  if (fuller === own && lacking.length === 0) return own;
  return { ...fuller, rerouted: [...replayed, ...lacking] };
}

/** All runs of either set, by key. */
export function mergeRuns(
  own: ReadonlyMap<string, FinishedRun>,
  published: ReadonlyMap<string, FinishedRun>,
): Map<string, FinishedRun> {
  const merged = new Map(published);
  for (const [key, run] of own) merged.set(key, mergeRun(run, published.get(key)));
  return merged;
}

/** Whether two runs with the same key trained identically. */
export const trainsAlike = (a: FinishedRun, b: FinishedRun): boolean => training(a) === training(b);

/** The student's training alone, without its quarantines. */
function training({ record }: FinishedRun): string {
  const rows = record.rows.map((row) => ({ ...row, shadowCin: null, shadowNorms: null }));
  return JSON.stringify([record.graderVersion, rows]);
}
