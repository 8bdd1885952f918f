// The queue's other end: gives the runs of a folder's sweep to it as they may begin, and takes what is finished into the folder. The
// folder is what is kept; the server is emptied as runs arrive.
import { setTimeout } from 'node:timers/promises';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { OpenRun, SweepFolder } from '../folder.ts';
import { connect, DONE, JOB_OPTIONS, jobIdOf, placeOf, QUEUE, RunProgress, resultOf } from './redis.ts';
import { loadResult } from './store.ts';

/** Between two looks at what has been finished. */
const LOOK_MS = 500;

interface Feeding {
  folder: SweepFolder;
  client: Redis;
  queue: Queue;
  note(line: string): void;
}

/** Until nothing is left. Throws StoppedError at a stop: what the queue has stays there, and the same command takes it. */
export async function feed(
  folder: SweepFolder,
  url: string,
  signal: AbortSignal,
  note: (line: string) => void,
): Promise<void> {
  const client = await connect(url, note);
  const queue = new Queue(QUEUE, placeOf(client));
  // Told of once, by `connect`.
  queue.on('error', () => {});
  const given = new Set<string>();
  const steps = new Map<string, number>();
  try {
    for (;;) {
      if (signal.aborted) throw new StoppedError('Stopped.', 'The same command goes on; workers go on meanwhile.');
      if (await folder.isCancelled()) throw new StoppedError('The sweep is cancelled.', 'The same command goes on.');
      const { left } = await folder.state();
      if (left.length === 0) return;
      const done = new Set(await client.smembers(DONE));
      for (const run of left) await look(run, done, given, steps, { folder, client, queue, note });
      await setTimeout(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    await queue.close();
    client.disconnect();
  }
}

async function look(
  run: OpenRun,
  done: ReadonlySet<string>,
  given: Set<string>,
  steps: Map<string, number>,
  { folder, client, queue, note }: Feeding,
): Promise<void> {
  const { device } = folder.plan.spec;
  const { key, spec } = run;
  const id = jobIdOf({ key, device });
  if (done.has(id)) {
    const result = await loadResult(client, id, key);
    if (result) {
      await folder.keep(result);
      await folder.log(run.id, `finished by a worker of the queue on ${result.record.device}`);
      note(`${run.id}  finished  ${key}`);
    }
    await client.srem(DONE, id);
    await client.del(resultOf(id));
    return;
  }
  if (!given.has(id)) {
    // One that is there already stays as it is.
    await queue.add('run', { key, spec, device }, { jobId: id, ...JOB_OPTIONS });
    given.add(id);
  }
  const job = await queue.getJob(id);
  if (!job) return;
  const at = RunProgress.safeParse(job.progress);
  if (at.success && steps.get(id) !== at.data.step) {
    const { step, worker, reward } = at.data;
    steps.set(id, step);
    await folder.log(run.id, `step ${step}/${spec.steps}  ${worker ?? ''}  reward ${reward?.toFixed(3) ?? '–'}`);
  }
  if ((await job.getState()) !== 'failed') return;
  const message = job.failedReason || 'It failed without a word.';
  // Each attempt as one: they set it apart, as in a folder.
  for (let attempt = 0; attempt < JOB_OPTIONS.attempts; attempt++)
    await folder.fail(run.id, String(attempt).padStart(32, '0'), { kind: 'error', worker: 'queue', step: 0, message });
  await job.remove();
  given.delete(id);
  note(`Failed: ${key}: ${message.split('\n')[0]}`);
}
