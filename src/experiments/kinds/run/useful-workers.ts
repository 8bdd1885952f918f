// How many runs are worth a worker each, and how workers share the cores. Separate from the code that opens workers, since estimates need it
// too.
import type { RunSpec } from '../../config/run-spec.ts';

/** Rollouts of a run below which opening a worker for it takes longer than it saves. */
const WORTH_A_WORKER = 1000;
/** Bytes that a run of the smallest model needs, on device and host together. */
const LEAST_BYTES = 500e6;

/** Number of workers that make these runs of an embedded model finish sooner, with `threads` threads in all and `bytes` of memory. */
export function usefulWorkers(
  runs: readonly RunSpec[],
  threads: number,
  bytes: number,
  rollouts = WORTH_A_WORKER,
): number {
  const long = runs.filter((run) => run.steps * run.promptsPerStep * run.groupSize >= rollouts);
  return Math.max(1, Math.min(long.length, threads, Math.floor(bytes / LEAST_BYTES)));
}

/** Threads of each worker when `atWork` workers are busy. */
export const threadsOf = (cores: number, atWork: number): number => Math.max(1, Math.floor(cores / atWork));
