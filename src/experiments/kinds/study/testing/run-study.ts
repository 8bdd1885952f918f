// A whole plan in one process, for tests: on the command line several share its jobs.
import type { LabEvent } from '../../../records/events.ts';
import type { StudyJob, StudyPlan } from '../plan.ts';
import { isDone, runJob, type StudyHost } from '../runner.ts';
import type { StudyStore } from '../store.ts';

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
