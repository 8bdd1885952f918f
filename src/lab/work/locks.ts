// Which experiments are at work in any tab of this browser: worker.ts answers with the browser's own locks, a test with a set.

/** Says which experiments are at work in any tab, so that none is trained twice or taken for interrupted. */
export interface Locks {
  /** Null when another tab holds it. */
  hold(id: string): Promise<(() => void) | null>;
  held(): Promise<ReadonlySet<string>>;
  /** Resolves when nobody holds it any more. */
  freed(id: string): Promise<void>;
}

/** Longest that a lock is listed after it was let go. */
const LET_GO_MS = 300;

/** Whether another tab holds it. A lock that has just been let go may be listed a moment longer. */
export async function isElsewhere(locks: Locks, id: string): Promise<boolean> {
  if (!(await locks.held()).has(id)) return false;
  const patience = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), LET_GO_MS));
  return Promise.race([locks.freed(id).then(() => false), patience]);
}
