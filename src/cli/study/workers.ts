// Who runs a study's jobs: this process, or children of it that take one job after another. A job that fails is told and left
// behind; the rest goes on. Only a stop or a lost device ends the whole.
import { type ChildProcess, fork } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import type { StudyJob } from '../../experiments/kinds/study/plan.ts';
import { isDone, nextJob, retrains, runJob, type StudyHost } from '../../experiments/kinds/study/runner.ts';
import type { StudyStore } from '../../experiments/kinds/study/store.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import { DeviceError, LabError, StoppedError } from '../../lib/errors.ts';
import { diskError } from '../../storage/disk.node.ts';
import { StorageError } from '../../storage/kv.ts';

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

// ---- children ------------------------------------------------------------------------------------------------------

type ToChild = { kind: 'job'; job: StudyJob } | { kind: 'stop' };
type FromChild =
  | { kind: 'ready' }
  | { kind: 'progress'; what: string }
  | { kind: 'done' }
  | { kind: 'failed'; message: string; why: 'stopped' | 'device' | 'disk' | 'other' };

/** A child that runs this same program with `args`. */
export async function childWorker(args: readonly string[], signal: AbortSignal): Promise<StudyWorker> {
  const [, script] = process.argv;
  const child = fork(script, [...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], serialization: 'advanced' });
  const stop = () => void send(child, { kind: 'stop' });
  signal.addEventListener('abort', stop, { once: true });
  await answer(child, () => {}, 'ready');
  return {
    async run(job, onProgress) {
      if (signal.aborted) throw new StoppedError();
      const over = answer(child, onProgress, 'done');
      send(child, { kind: 'job', job });
      await over;
    },
    async close() {
      signal.removeEventListener('abort', stop);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
      child.disconnect();
      await gone;
    },
  };
}

function send(child: ChildProcess, message: ToChild): void {
  if (child.connected) child.send(message);
}

/** Until the child says `until`; rejects with what it failed with, or when it ends. */
function answer(child: ChildProcess, onProgress: (what: string) => void, until: FromChild['kind']): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      child.off('message', heard);
      child.off('exit', ended);
      done();
    };
    const ended = (code: number | null, signal: string | null) =>
      settle(() =>
        reject(
          signal === 'SIGINT' || signal === 'SIGTERM' || code === 130
            ? new StoppedError()
            : new DeviceError(`A worker process ended (${signal ?? `code ${code}`}).`, 'Start the study again.'),
        ),
      );
    const heard = (raw: unknown) => {
      const message = raw as FromChild;
      if (message.kind === 'progress') onProgress(message.what);
      else if (message.kind === until) settle(resolve);
      else if (message.kind === 'failed')
        settle(() => {
          if (message.why === 'stopped') reject(new StoppedError());
          else if (message.why === 'device') reject(new DeviceError(message.message, 'Start the study again.'));
          else if (message.why === 'disk') reject(new StorageError(message.message, 'Start the study again.'));
          else reject(new Error(message.message));
        });
    };
    child.on('message', heard);
    child.on('exit', ended);
  });
}

/** The child's side: takes jobs until its parent is gone. `stop` is aborted when the parent says so or ends. */
export function serveParent(worker: StudyWorker, stop: AbortController): Promise<void> {
  const say = (message: FromChild) => {
    if (process.connected) process.send?.(message);
  };
  let working: Promise<void> = Promise.resolve();
  return new Promise((resolve) => {
    process.on('message', (raw) => {
      const message = raw as ToChild;
      if (message.kind === 'stop') return stop.abort(new StoppedError());
      working = worker
        .run(message.job, (what) => say({ kind: 'progress', what }))
        .then(
          () => say({ kind: 'done' }),
          (error: unknown) => say({ kind: 'failed', message: explain(error), why: whyOf(error) }),
        );
    });
    process.once('disconnect', () => {
      stop.abort(new StoppedError());
      void working.then(() => resolve());
    });
    say({ kind: 'ready' });
  });
}

function whyOf(error: unknown): (FromChild & { kind: 'failed' })['why'] {
  if (error instanceof StoppedError) return 'stopped';
  if (error instanceof DeviceError) return 'device';
  return diskError(error) instanceof StorageError ? 'disk' : 'other';
}

function explain(raw: unknown): string {
  const error = diskError(raw);
  if (error instanceof LabError) return `${error.message} ${error.remedy}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
