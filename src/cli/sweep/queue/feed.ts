// The feeding end of the queue: adds the runs of a folder's sweep as they may begin, and writes finished ones into the folder. The folder
// is the permanent store; the server is emptied as runs arrive.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { codeHash } from '../../code-hash.ts';
import { MOST_FAILING, type OpenRun, type SweepFolder, weightOf } from '../folder.ts';
import { QueueReport } from '../queue-state.ts';
import {
  clearFailures,
  connect,
  DONE,
  JOB_OPTIONS,
  jobIdOf,
  loadFailures,
  placeOf,
  QUEUE,
  type QueuedRun,
  RunProgress,
  resultOf,
  withoutCredentials,
} from './redis.ts';
import { loadResult } from './store.ts';

/** Milliseconds between two looks for finished runs. */
const LOOK_MS = 500;
/** Looks without a worker before a warning. */
const LOOKS_ALONE = 10;

interface Feeding {
  folder: SweepFolder;
  client: Redis;
  queue: Queue;
  note(line: string): void;
}

/** Feeds until nothing is left. Throws StoppedError at a stop: runs in the queue stay there, and the same command takes them up. */
export async function feed(
  folder: SweepFolder,
  url: string,
  signal: AbortSignal,
  note: (line: string) => void,
): Promise<void> {
  const client = await connect(url, note);
  const queue = new Queue(QUEUE, placeOf(client));
  // `connect` reports the error, once.
  queue.on('error', () => {});
  const given = new Set<string>();
  const steps = new Map<string, number>();
  const report = new QueueReport(folder.path);
  const server = withoutCredentials(url);
  let alone = 0;
  try {
    await withdrawOthers({ folder, client, queue, note });
    for (;;) {
      if (signal.aborted) throw new StoppedError('Stopped.', 'The same command goes on; workers go on meanwhile.');
      if (await folder.isCancelled()) throw new StoppedError('The sweep is cancelled.', 'The same command goes on.');
      const { left } = await folder.state();
      if (left.length === 0) return await report.end();
      const done = new Set(await client.smembers(DONE));
      const atWork: AtWork[] = [];
      for (const run of left) {
        const found = await look(run, done, given, steps, { folder, client, queue, note });
        if (found) atWork.push(found);
      }
      const workers = await queue.getWorkersCount();
      await report.write({ server, workers, atWork });
      alone = workers === 0 ? alone + 1 : 0;
      if (alone === LOOKS_ALONE)
        note(`No worker takes runs of ${server}. Start one: npm run lab -- worker --queue ${server}`);
      await setTimeout(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    await queue.close();
    client.disconnect();
  }
}

/** Withdraws jobs of the same runs that other code has added: workers would compute other results. */
async function withdrawOthers({ folder, queue }: Feeding): Promise<void> {
  const [own, { device }] = [codeHash(), folder.plan.spec];
  for (const job of await queue.getJobs(['waiting', 'delayed', 'failed'])) {
    const { key, device: its, code = null } = (job?.data ?? {}) as Partial<QueuedRun>;
    if (typeof key === 'string' && folder.has(key) && its === device && code !== own)
      await job.remove().catch(() => {});
  }
}

interface AtWork {
  id: string;
  worker: string;
  step: number;
}

/** A run that a worker is training; null for one that waits or has ended. */
async function look(
  run: OpenRun,
  done: ReadonlySet<string>,
  given: Set<string>,
  steps: Map<string, number>,
  { folder, client, queue, note }: Feeding,
): Promise<AtWork | null> {
  const { device } = folder.plan.spec;
  const { key, spec } = run;
  const code = codeHash();
  const id = jobIdOf({ key, device, code });
  if (done.has(id)) {
    const result = await loadResult(client, id, key);
    if (result) {
      await folder.keep(result);
      await folder.log(run.id, `finished by a worker of the queue on ${result.record.device}`);
      note(`${run.id}  finished  ${folder.nameOf(key)}`);
    }
    await client.srem(DONE, id);
    await client.del(resultOf(id));
    await clearFailures(client, id);
    return null;
  }
  if (!given.has(id)) {
    // A job that is there already stays as it is.
    await queue.add('run', { key, spec, device, code } satisfies QueuedRun, { jobId: id, ...JOB_OPTIONS });
    given.add(id);
  }
  const job = await queue.getJob(id);
  if (!job) {
    // The run has just been finished, or a server that keeps nothing was started again: then it is added anew.
    given.delete(id);
    return null;
  }
  const at = RunProgress.safeParse(job.progress);
  if (at.success && steps.get(id) !== at.data.step) {
    const { step, worker, reward } = at.data;
    steps.set(id, step);
    await folder.log(run.id, `step ${step}/${spec.steps}  ${worker ?? ''}  reward ${reward?.toFixed(3) ?? '–'}`);
  }
  const failures = await folder.failures(run.id);
  for (const failure of await loadFailures(client, id)) {
    if (failures.some(({ worker, message }) => worker === failure.worker && message === failure.message)) continue;
    failures.push(failure);
    await folder.fail(run.id, randomUUID().replaceAll('-', ''), failure);
    note(
      `Failed on ${failure.worker}: ${folder.nameOf(key)}: ${failure.message.split('\n')[0]} Another worker will try it.`,
    );
  }
  const isApart = weightOf(failures) >= MOST_FAILING;
  // Its workers ended without reporting, as often as BullMQ lets them.
  const state = await job.getState();
  const isGivenUp = state === 'failed';
  if (!isApart && !isGivenUp)
    return state === 'active'
      ? { id: run.id, worker: (at.success && at.data.worker) || 'a worker', step: at.success ? at.data.step : 0 }
      : null;
  if (isApart) await clearFailures(client, id);
  else note(`Given anew: ${folder.nameOf(key)}: ${job.failedReason}`);
  await job.remove();
  given.delete(id);
  return null;
}
