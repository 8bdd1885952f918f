// Number of runs that are worth a worker each, and how workers share the cores; apart from the code that opens workers, since an estimate
// needs it too.
import type { RunSpec } from '../../config/run-spec.ts';

/** Rollouts of a run, below which a worker of its own takes longer to open than it saves. */
const WORTH_A_WORKER = 1000;
/** Bytes that a run of the smallest model takes, device and host together. */
const LEAST_BYTES = 500e6;

/** Number of these runs of an embedded model that are done sooner in parallel, on `threads` threads in all, in `bytes` of memory. */
export function usefulWorkers(
  runs: readonly RunSpec[],
  threads: number,
  bytes: number,
  rollouts = WORTH_A_WORKER,
): number {
  const long = runs.filter((run) => run.steps * run.promptsPerStep * run.groupSize >= rollouts);
  return Math.max(1, Math.min(long.length, threads, Math.floor(bytes / LEAST_BYTES)));
}

/** Threads of each worker when so many are at work. */
export const threadsOf = (cores: number, atWork: number): number => Math.max(1, Math.floor(cores / atWork));
