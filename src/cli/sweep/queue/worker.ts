// `worker --queue URL`: takes runs from a queue until it is stopped, on any machine that reaches the server.
import { setTimeout } from 'node:timers/promises';
import { DeviceError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { DelayedError, type Job, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { DeviceChoice } from '../../../experiments/config/spec.ts';
import { trainPlanned } from '../../../experiments/runs/runner.ts';
import { integer, text } from '../../args.ts';
import { explain } from '../../children.ts';
import { codeHash } from '../../code-hash.ts';
import { command } from '../../command.ts';
import { yieldToEvents } from '../../drain.ts';
import { type EmbeddedHost, embeddedHost } from '../../run/embedded-host.ts';
import { thisWorker } from '../code.ts';
import { stoppedAt } from '../worker.ts';
import {
  addFailure,
  connect,
  loadFailures,
  lockOf,
  placeOf,
  QUEUE,
  type QueuedRun,
  QueueError,
  readQueued,
} from './redis.ts';
import { redisStore } from './store.ts';

/** Milliseconds for which a stopped worker waits for a server that is away. */
const GIVE_UP_MS = 5000;
/** Milliseconds between two reports of progress. */
const TELL_MS = 1000;
/** Milliseconds for which a run that failed here is left to other workers. */
const OTHERS_MS = 5000;

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
  const hosts = new Map<DeviceChoice, EmbeddedHost>();
  const worker = thisWorker();
  let end = (_: unknown) => {};
  const ended = new Promise<unknown>((resolve) => {
    end = resolve;
  });
  const leaveToOthers = async (job: Job, token?: string): Promise<never> => {
    await job.moveToDelayed(Date.now() + OTHERS_MS, token);
    throw new DelayedError();
  };
  const process_ = async (job: Job, token?: string): Promise<void> => {
    const id = job.id as string;
    const refusal = refusalOf(job.data, worker);
    if (refusal) {
      end(refusal);
      await job.moveToWait(token);
      throw new WaitingError();
    }
    let [step, keptStep] = [0, 0];
    let run: QueuedRun | null = null;
    try {
      run = readQueued(job.data, id);
      const store = redisStore(client, id);
      if ((await store.load(run.key)) !== null) return;
      if ((await loadFailures(client, id)).some((failure) => failure.worker === worker))
        return await leaveToOthers(job, token);
      const { device } = run;
      const { threads } = flags;
      const own =
        hosts.get(device) ??
        embeddedHost({ root, device, threads, isPlain: false, store: { artifacts: null }, signal });
      hosts.set(device, own);
      progress.note(`${id}  ${run.key}`);
      let reportedAt = 0;
      for await (const event of trainPlanned(run, store, own)) {
        await yieldToEvents();
        if (event.type === 'run-start') step = keptStep = event.run.rows.length;
        if (event.type === 'checkpoint') keptStep = event.step;
        if (event.type !== 'step') continue;
        ({ step } = event.row);
        if (performance.now() - reportedAt < TELL_MS) continue;
        reportedAt = performance.now();
        await job.updateProgress({ step, worker, reward: event.row.reward });
      }
    } catch (error) {
      if (error instanceof DelayedError) throw error;
      if (error instanceof StoppedError || error instanceof DeviceError) {
        // The run goes back unchanged, since nothing was wrong with it.
        if (run) progress.note(`${id}  ${stoppedAt(step, run.spec.steps, keptStep)}`);
        await job.moveToWait(token);
        if (error instanceof DeviceError) end(error);
        throw new WaitingError();
      }
      const message = explain(error).slice(0, 20_000);
      progress.note(`Failed: ${id}: ${message.split('\n')[0]}`);
      await addFailure(client, id, { schema: 1, kind: 'error', worker, step, message });
      await leaveToOthers(job, token);
    }
  };
  const bull = new Worker(QUEUE, process_, { ...placeOf(client), ...lockOf(flags.lease * 1000), concurrency: 1 });
  // `connect` reports lost connections, once.
  bull.on('error', () => {});
  signal.addEventListener(
    'abort',
    () => end(new StoppedError('Stopped.', 'Start it again: it takes what is waiting.')),
    { once: true },
  );
  try {
    const why = await ended;
    // The run under way ends at its next step, and goes back; where the server is away, another worker takes it after a lease.
    const closed = bull.close();
    await Promise.race([closed, awayFor(GIVE_UP_MS, client, closed)]);
    throw why;
  } finally {
    for (const own of hosts.values()) await own.close();
    client.disconnect();
  }
});

/** Resolves once nothing has answered for so long without a break, or at `end`. */
async function awayFor(ms: number, client: Redis, end: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  end.then(over, over);
  for (let seen = performance.now(); !isOver && performance.now() - seen < ms; await setTimeout(100))
    if (client.status === 'ready') seen = performance.now();
}

/** Null where the job has the code here: other code gives other keys, defaults or bytes. */
function refusalOf(data: unknown, worker: string): QueueError | null {
  const { code = null } = (data ?? {}) as { code?: unknown };
  const own = codeHash();
  if (code === own) return null;
  const [there, here] = [code, own].map((one) => (typeof one === 'string' ? one.slice(0, 16) : 'unknown'));
  return new QueueError(
    `${worker} refuses the queue: its code is ${here}, and that of the runs is ${there}. The run that it took went back.`,
    'Give this machine the checkout that the sweep is run with, or start another queue.',
  );
}
