// A study for tests: its store in memory, and a whole plan in one process (on the command line several share its jobs).
import type { Checkpoint } from '../../../records/checkpoint.ts';
import type { LabEvent } from '../../../records/events.ts';
import { memoryStepStore } from '../../../records/steps.ts';
import type { StudyJob, StudyPlan } from '../plan.ts';
import type { StudyRun } from '../results.ts';
import { isDone, runJob, type StudyHost, type StudyStore } from '../runner.ts';

export function memoryStudyStore(kept = new Map<string, StudyRun>()): StudyStore {
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

export type StudyEvent =
  | LabEvent
  | { type: 'job'; job: StudyJob; index: number; of: number }
  | { type: 'job-end'; job: StudyJob };

/** All jobs that are not done, in the plan's order. Throws as runExperiment does; call again to go on. */
export async function* runStudy(plan: StudyPlan, store: StudyStore, host: StudyHost): AsyncGenerator<StudyEvent, void> {
  for (const [index, job] of plan.jobs.entries()) {
    if (await isDone(job, store)) continue;
    yield { type: 'job', job, index, of: plan.jobs.length };
    yield* runJob(job, store, host);
    yield { type: 'job-end', job };
  }
}
