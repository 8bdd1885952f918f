// The queue on Redis (or Valkey): BullMQ hands runs out, keeps their locks and retries failures. Checkpoints and finished runs are stored
// beside it, so that workers share nothing but the server.
import { createHash } from 'node:crypto';
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { Redis, type RedisOptions } from 'ioredis';
import * as z from 'zod/mini';
import { EMBEDDED_MODELS } from '../../../experiments/config/preset-in.ts';
import type { RunSpec } from '../../../experiments/config/run-spec.ts';
import { DEVICE_CHOICES, type DeviceChoice } from '../../../experiments/config/spec.ts';
import { runSpec } from '../../../experiments/records/run-schema.ts';
import { runKey } from '../../../experiments/runs/key.ts';
import { Failure } from '../folder.ts';

/** The server does not answer, or its data are not the lab's. */
export class QueueError extends LabError {}

export const QUEUE = 'runs';
export const PREFIX = 'lab-sweep';
/** Key of the set of run ids that have a result. */
export const DONE = `${PREFIX}:done`;
export const resultOf = (id: string): string => `${PREFIX}:result:${id}`;

/** Failures of a run, one per worker. The feeding command decides when there are too many, as in a folder. */
const failuresOf = (id: string): string => `${PREFIX}:failures:${id}`;
export const addFailure = (client: Redis, id: string, failure: Failure): Promise<number> =>
  client.rpush(failuresOf(id), JSON.stringify(failure));
/** Throws QueueError. */
export async function loadFailures(client: Redis, id: string): Promise<Failure[]> {
  try {
    return (await client.lrange(failuresOf(id), 0, -1)).map((text) => Failure.parse(parseJsonText(text)));
  } catch (cause) {
    throw new QueueError(`${failuresOf(id)} cannot be read.`, 'Delete that key.', { cause });
  }
}
export const clearFailures = (client: Redis, id: string): Promise<number> => client.del(failuresOf(id));

export const JOB_OPTIONS = { removeOnComplete: true } as const;

/** After the death of a worker others may continue the run, as often as that happens. */
const MOST_DEATHS = 1000;

/** Options by which a worker keeps its locks. */
export const lockOf = (leaseMs: number) => ({
  lockDuration: leaseMs,
  stalledInterval: leaseMs / 4,
  maxStalledCount: MOST_DEATHS,
});

/** Options by which BullMQ finds the queue, with a connection of its own: `connect` reports one that is lost. */
export const placeOf = (client: Redis) => ({ connection: client.duplicate(), prefix: PREFIX });

export interface QueuedRun {
  key: string;
  spec: RunSpec;
  device: DeviceChoice;
  /** Code hash of the command that added the run (cli/code-hash.ts): a worker of other code does not take it. */
  code: string | null;
}

const queued = z.object({ key: z.string().check(z.maxLength(10_000)), spec: runSpec, device: z.enum(DEVICE_CHOICES) });

/** Progress that a worker reports while it trains. */
export const RunProgress = z.object({
  step: z.number(),
  worker: z.optional(z.string()),
  reward: z.optional(z.nullable(z.number())),
});

/** Equal ids are equal runs on one kind of device: the same key of other code has another. */
export const jobIdOf = ({ key, device, code }: Pick<QueuedRun, 'key' | 'device' | 'code'>): string =>
  createHash('sha256')
    .update(JSON.stringify([key, device, code]))
    .digest('hex')
    .slice(0, 32);

/** Throws QueueError for data that are no run, or not the run of this id. */
export function readQueued(data: unknown, id: string): QueuedRun {
  // Returns the value itself, not zod's copy, so that its keys keep their order, and a record its bytes.
  const run = data as QueuedRun;
  const isRun = queued.safeParse(data).success && run.key === runKey(run.spec) && jobIdOf(run) === id;
  // The model's name becomes a folder's, so that only embedded models are accepted.
  if (isRun && EMBEDDED_MODELS.includes(run.spec.model)) return run;
  throw new QueueError(
    `The job ${id} is no run of this lab.`,
    'Somebody has changed it: `sweep run … --queue` gives it anew.',
  );
}

/** The address without name and password. */
export const withoutCredentials = (url: string): string => {
  try {
    const { protocol, host } = new URL(url);
    return `${protocol}//${host}`;
  } catch {
    return 'the address';
  }
};

/** Waits for a server that goes away: pending requests are repeated when it is back. */
const CONNECTION: RedisOptions = { maxRetriesPerRequest: null, retryStrategy: (times) => Math.min(200 * times, 5000) };

/** Throws QueueError where nothing answers at once. */
export async function connect(url: string, note: (line: string) => void): Promise<Redis> {
  if (!/^rediss?:\/\//.test(url))
    throw new QueueError(
      `${withoutCredentials(url)} is no address of a Redis.`,
      'Give redis://HOST:PORT, or rediss:// for TLS.',
    );
  const first = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 10_000,
  });
  let reason: unknown;
  first.on('error', (error) => {
    reason = error;
  });
  try {
    await first.connect();
    await first.ping();
  } catch (error) {
    const { code, message } = (reason ?? error) as NodeJS.ErrnoException;
    throw new QueueError(
      `${withoutCredentials(url)} does not answer: ${code ?? message}.`,
      'Start the server, or mend the address.',
      { cause: error },
    );
  } finally {
    first.disconnect();
  }
  const client = new Redis(url, CONNECTION);
  let isAway = false;
  client.on('error', (error: NodeJS.ErrnoException) => {
    if (!isAway) note(`${withoutCredentials(url)} is away (${error.code ?? error.message}); it is waited for.`);
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) note(`${withoutCredentials(url)} is back.`);
    isAway = false;
  });
  return client;
}
