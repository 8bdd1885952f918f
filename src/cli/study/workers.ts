// Who runs a study's jobs: this process, or children of it that take one job after another. A job that fails is told and left
// behind; the rest goes on. Only a stop or a lost device ends the whole.
import { setImmediate } from 'node:timers/promises';
import { DeviceError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { StudyJob } from '../../experiments/kinds/study/plan.ts';
import { isDone, nextJob, retrains, runJob, type StudyHost } from '../../experiments/kinds/study/runner.ts';
import type { StudyStore } from '../../experiments/kinds/study/store.ts';
import { drain, TaskQueue, workThrough } from '../../experiments/parallel/drain.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import { openRpc, type Rpc, type RpcPort } from '../../lib/rpc.ts';
import { StorageError } from '../../storage/kv.ts';
import { CHILD_ERRORS, callChild, explain, serveParent, startChild } from '../children.ts';

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

/** Trains `jobs` in their order, as far as they can go in parallel. Throws what ends them all (a stop, a lost device, a disk that
 *  cannot be written); failures are returned. */
export async function drainJobs(
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
  const busy = new Set<string>();
  const finished = new Set(await store.keys());
  const failures: Failure[] = [];
  // The needed run stays taken while it is trained again for its steps; where they are there, others may read them too.
  const takes = ({ run, needs }: StudyJob) => (needs === null ? [run.key] : [run.key, needs]);
  const queue = new TaskQueue(
    jobs,
    (waiting) => nextJob(waiting, busy, finished) ?? undefined,
    (job) => {
      for (const key of takes(job)) busy.add(key);
    },
  );
  const fail = (job: StudyJob, message: string) => {
    failures.push({ job, message });
    on.failed({ job, message });
  };
  const train = async (worker: StudyWorker, index: number, job: StudyJob) => {
    const held = new Set(takes(job));
    const release = (keys: readonly string[]) => {
      for (const key of keys) if (held.delete(key)) busy.delete(key);
      queue.changed();
    };
    try {
      if (await isDone(job, store)) return;
      if (job.needs !== null && !(await retrains(job, store))) release([job.needs]);
      on.start(job, finished.has(job.run.key));
      await worker.run(job, (what) => on.progress({ job, worker: index, what }));
      finished.add(job.run.key);
      on.end(job);
    } catch (error) {
      if (endsAll(error)) throw error;
      fail(job, explain(error));
    } finally {
      release([...held]);
    }
  };
  await drain(
    [...workers.entries()],
    ([index, worker]) => workThrough(queue, (job) => train(worker, index, job)),
    () => queue.close(),
  );
  for (const job of queue.left) fail(job, 'what it needs could not be made');
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
  const child = startChild(args, 'Start the study again.');
  let report = (_: string) => {};
  const rpc = await callChild(child, { progress: (what: string) => report(what) });
  const stop = () => void rpc.call('stop').catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  return {
    run(job, onProgress) {
      report = onProgress;
      return rpc.call('run', job);
    },
    close() {
      signal.removeEventListener('abort', stop);
      return child.close();
    },
  };
}

/** The child's side: takes jobs until its parent is gone. `stop` is aborted when the parent says so or ends. */
export function serveJobs(worker: StudyWorker, stop: AbortController): Promise<void> {
  const serve = (port: RpcPort) => {
    const rpc: Rpc = openRpc(
      port,
      {
        run: (job: StudyJob) => worker.run(job, (what) => void rpc.call('progress', what).catch(() => {})),
        stop: () => stop.abort(new StoppedError()),
      },
      CHILD_ERRORS,
    );
    return rpc;
  };
  return serveParent(serve, stop);
}
