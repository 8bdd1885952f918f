// `worker --queue URL`: takes runs from a queue until it is stopped, on any machine that reaches the server.
import { setTimeout } from 'node:timers/promises';
import { DeviceError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { type DeviceChoice, EMBEDDED_MODELS } from '../../../experiments/config/spec.ts';
import { runJob } from '../../../experiments/kinds/study/runner.ts';
import { thisProcess } from '../../../storage/lock.node.ts';
import { integer, text } from '../../args.ts';
import { explain } from '../../children.ts';
import { command } from '../../command.ts';
import { breathe } from '../../shown.ts';
import { Hosts } from '../worker.ts';
import { connect, lockOf, placeOf, QUEUE, QueueError, readQueued } from './redis.ts';
import { redisStore } from './store.ts';

/** Of a stopped worker's wait for a server that is away. */
const GIVE_UP_MS = 5000;
/** Between two words on how far a run is. */
const TELL_MS = 1000;

const usage = {
  name: 'worker',
  summary: 'Takes runs of sweeps from a queue on Redis, until it is stopped.',
  flags: {
    queue: text(
      'URL',
      'redis://HOST:PORT, rediss:// for TLS; name and password as Redis has them in the address.',
      null,
    ),
    threads: integer('Threads of the CPU device. Changes no digit.', null, 1, 1024),
    lease: integer('Seconds of silence after which a run is another worker’s.', 60, 2, 86_400),
  },
  notes:
    'Runs come from `sweep run SPEC --out DIR --queue URL`. Ctrl-C or SIGTERM: the run goes back with its last checkpoint.',
} as const;

export const queueWorker = command(usage, async ({ flags }, { root, signal, progress }) => {
  if (flags.queue === null) throw new SpecError('worker needs a queue.', 'Add --queue redis://HOST:PORT.');
  const client = await connect(flags.queue, progress.note);
  const hosts = new Map<DeviceChoice, Hosts>();
  const { pid, host } = thisProcess();
  let end = (_: unknown) => {};
  const ended = new Promise<unknown>((resolve) => {
    end = resolve;
  });
  const process_ = async (job: Job, token?: string): Promise<void> => {
    const id = job.id as string;
    const run = readOrRefuse(job.data, id);
    const store = redisStore(client, id);
    if ((await store.load(run.key)) !== null) return;
    const own =
      hosts.get(run.device) ??
      new Hosts({ root, device: run.device, threads: flags.threads, store: { artifacts: null }, signal });
    hosts.set(run.device, own);
    progress.note(`${id}  ${run.key}`);
    let reportedAt = 0;
    try {
      for await (const event of runJob({ run, shadows: [], needs: null }, store, await own.of(run.spec.model))) {
        await breathe();
        if (event.type !== 'step' || performance.now() - reportedAt < TELL_MS) continue;
        reportedAt = performance.now();
        const worker = `${host}:${pid}`;
        // `of`: labs of before read it.
        await job.updateProgress({ step: event.row.step, of: run.spec.steps, worker, reward: event.row.reward });
      }
    } catch (error) {
      if (!(error instanceof StoppedError || error instanceof DeviceError))
        throw new Error(explain(error), { cause: error });
      // It goes back as it is: nothing was wrong with the run.
      await job.moveToWait(token);
      if (error instanceof DeviceError) end(error);
      throw new WaitingError();
    }
  };
  const worker = new Worker(QUEUE, process_, { ...placeOf(client), ...lockOf(flags.lease * 1000), concurrency: 1 });
  worker.on('failed', (job, error) =>
    progress.note(`Failed: ${job?.data?.key ?? '?'}: ${error.message.split('\n')[0]}`),
  );
  // Connections that are away are told of once, by `connect`.
  worker.on('error', () => {});
  signal.addEventListener(
    'abort',
    () => end(new StoppedError('Stopped.', 'Start it again: it takes what is waiting.')),
    { once: true },
  );
  try {
    const why = await ended;
    // The run at work ends at its next step, and goes back; where the server is away, it is another's after a lease.
    const closed = worker.close();
    await Promise.race([closed, awayFor(GIVE_UP_MS, client, closed)]);
    throw why;
  } finally {
    for (const own of hosts.values()) await own.close();
    client.disconnect();
  }
});

/** Resolves once nothing answers for so long on end, or at `end`. */
async function awayFor(ms: number, client: Redis, end: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  end.then(over, over);
  for (let seen = performance.now(); !isOver && performance.now() - seen < ms; await setTimeout(100))
    if (client.status === 'ready') seen = performance.now();
}

function readOrRefuse(data: unknown, id: string) {
  try {
    const run = readQueued(data, id);
    if (EMBEDDED_MODELS.includes(run.spec.model)) return run;
    throw new QueueError(
      `The model ${run.spec.model} is not one of the lab’s own.`,
      'A queue trains the lab’s own models.',
    );
  } catch (error) {
    throw new UnrecoverableError(explain(error));
  }
}
