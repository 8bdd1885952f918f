// Who runs a study's jobs: this process, or children of it that take one job after another. A job that fails is told and left
// behind; the rest goes on. Only a stop or a lost device ends the whole.
import { setImmediate } from 'node:timers/promises';
import type { StudyJob } from '../../experiments/kinds/study/plan.ts';
import { isDone, nextJob, retrains, runJob, type StudyHost } from '../../experiments/kinds/study/runner.ts';
import type { StudyStore } from '../../experiments/kinds/study/store.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import { DeviceError, StoppedError } from '../../lib/errors.ts';
import { StorageError } from '../../storage/kv.ts';
import { Child, explain, serveAsChild } from '../children.ts';

/** What is told of a job under way. */
export interface JobProgress {
  job: StudyJob;
  worker: number;
  /** `step 7/40  backward`, `final evaluation 3/14`, … */
  what: string;
}

export interface StudyWorker {
  run(job: StudyJob, onProgress: (what: string) => void): Promise<void>;
  close(): Promise<void>;
}

export interface Failure {
  job: StudyJob;
  message: string;
}

/** Works off `jobs` in their order, as far as they can go side by side. Throws what ends them all (a stop, a lost device, a disk
 *  that cannot be written); failures are returned. */
export async function workOff(
  jobs: readonly StudyJob[],
  workers: readonly StudyWorker[],
  store: StudyStore,
  on: {
    start(job: StudyJob, isTrained: boolean): void;
    progress(progress: JobProgress): void;
    end(job: StudyJob): void;
    failed(failure: Failure): void;
  },
): Promise<Failure[]> {
  const waiting = [...jobs];
  const busy = new Set<string>();
  const finished = new Set(await store.keys());
  const failures: Failure[] = [];
  let fatal: unknown = null;
  let waiters: (() => void)[] = [];
  const serve = async (worker: StudyWorker, index: number) => {
    while (!fatal && waiting.length > 0) {
      const job = nextJob(waiting, busy, finished);
      if (!job) {
        // Whoever is free when nothing can begin waits for a job to end; with nobody at work nothing ever will begin.
        if (busy.size === 0) return;
        await new Promise<void>((resolve) => void waiters.push(resolve));
        continue;
      }
      waiting.splice(waiting.indexOf(job), 1);
      // The needed run stays taken while it is trained again for its steps; where they are there, others may read them too.
      const held = new Set(job.needs === null ? [job.run.key] : [job.run.key, job.needs]);
      const release = (keys: readonly string[]) => {
        for (const key of keys) if (held.delete(key)) busy.delete(key);
        for (const resume of waiters) resume();
        waiters = [];
      };
      for (const key of held) busy.add(key);
      try {
        if (await isDone(job, store)) continue;
        if (job.needs !== null && !(await retrains(job, store))) release([job.needs]);
        on.start(job, finished.has(job.run.key));
        await worker.run(job, (what) => on.progress({ job, worker: index, what }));
        finished.add(job.run.key);
        on.end(job);
      } catch (error) {
        if (endsAll(error)) fatal ??= error;
        else {
          const failure = { job, message: explain(error) };
          failures.push(failure);
          on.failed(failure);
        }
      } finally {
        release([...held]);
      }
    }
  };
  await Promise.all(workers.map(serve));
  if (fatal) throw fatal;
  for (const job of waiting) {
    const failure = { job, message: 'what it needs could not be made' };
    failures.push(failure);
    on.failed(failure);
  }
  return failures;
}

const endsAll = (error: unknown) =>
  error instanceof StoppedError || error instanceof DeviceError || error instanceof StorageError;

export function ownWorker(store: StudyStore, host: StudyHost & { close(): Promise<void> }): StudyWorker {
  return {
    async run(job, onProgress) {
      for await (const event of runJob(job, store, host)) {
        // The CPU device never waits: without this, a Ctrl-C would not be heard.
        await setImmediate();
        const what = told(event, job);
        if (what) onProgress(what);
      }
    },
    close: () => host.close(),
  };
}

function told(event: LabEvent, { run }: StudyJob): string | null {
  if (event.type === 'prepare') return `${event.what} ${event.done}/${event.total}`;
  if (event.type === 'step') return `step ${event.row.step}/${run.spec.steps}  ${event.timing.total.toFixed(1)} s/step`;
  if (event.type === 'phase' && event.phase === 'final evaluation')
    return `${event.phase} ${event.done}/${event.total}`;
  return null;
}

/** A child that runs this same program with `args`. */
export async function childWorker(args: readonly string[], signal: AbortSignal): Promise<StudyWorker> {
  const child = await Child.start<StudyJob, string>(args, signal, 'Start the study again.');
  return { run: (job, onProgress) => child.ask(job, onProgress), close: () => child.close() };
}

/** The child's side: takes jobs until its parent is gone. `stop` is aborted when the parent says so or ends. */
export const serveParent = (worker: StudyWorker, stop: AbortController): Promise<void> =>
  serveAsChild<StudyJob, string>((job, note) => worker.run(job, note), stop);
