// For tests: a store of runs in memory, and a plan's jobs worked off in one process (on the command line several share them).
import type { Checkpoint } from '../../records/checkpoint.ts';
import type { LabEvent } from '../../records/events.ts';
import { memoryStepStore } from '../../records/steps.ts';
import type { FinishedRun } from '../finished.ts';
import type { RunJob } from '../planned.ts';
import { isDone, type RunHost, type RunStore, runJob } from '../runner.ts';

export function memoryRunStore(kept = new Map<string, FinishedRun>()): RunStore {
  const checkpoints = new Map<string, Checkpoint>();
  return {
    checkpoints: {
      load: async (id) => checkpoints.get(id) ?? null,
      save: async (checkpoint) => void checkpoints.set(checkpoint.runId, checkpoint),
    },
    steps: memoryStepStore(),
    artifacts: null,
    load: async (key) => kept.get(key) ?? null,
    save: async (run) => void kept.set(run.key, structuredClone(run)),
    keys: async () => [...kept.keys()],
  };
}

export type RunJobEvent =
  | LabEvent
  | { type: 'job'; job: RunJob; index: number; of: number }
  | { type: 'job-end'; job: RunJob };

/** All jobs that are not done, in the plan's order. Throws as runExperiment does; call again to go on. */
export async function* runJobs(
  plan: { jobs: readonly RunJob[] },
  store: RunStore,
  host: RunHost,
): AsyncGenerator<RunJobEvent, void> {
  for (const [index, job] of plan.jobs.entries()) {
    if (await isDone(job, store)) continue;
    yield { type: 'job', job, index, of: plan.jobs.length };
    yield* runJob(job, store, host);
    yield { type: 'job-end', job };
  }
}
