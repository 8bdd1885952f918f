// The queue as the feeding command last saw it, kept in the sweep's folder: `sweep status` reads the folder alone, and the workers of a
// queue write nothing there.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { hasEnded, thisProcess } from '@projected-grpo-lab/base/files/lock.node.ts';
import * as z from 'zod/mini';
import { readOwn } from './own-file.ts';

const text = z.string().check(z.maxLength(300));
const whole = z.int().check(z.minimum(0));

const QueueState = z.object({
  schema: z.literal(1),
  /** Address without name and password. */
  server: text,
  /** The command that feeds the queue. */
  feeder: z.object({ pid: z.int().check(z.positive()), host: text, began: z.nullable(text) }),
  workers: whole,
  atWork: z.array(z.object({ id: text, worker: text, step: whole })).check(z.maxLength(10_000)),
});
type Seen = Pick<z.infer<typeof QueueState>, 'server' | 'workers' | 'atWork'>;

const fileIn = (folder: string): string => join(folder, 'queue.json');

/** Writes the state when it has changed. */
export class QueueReport {
  readonly #folder: string;
  #last = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(seen: Seen): Promise<void> {
    const { pid, host, began } = thisProcess();
    const line = `${JSON.stringify({ schema: 1, ...seen, feeder: { pid, host, began } })}\n`;
    if (line === this.#last) return;
    await writeWhole(fileIn(this.#folder), line);
    this.#last = line;
  }

  /** Marks that nothing of the sweep is left to the queue. */
  async end(): Promise<void> {
    await rm(fileIn(this.#folder), { force: true });
  }
}

interface SeenQueue extends Seen {
  /** Whether that command is running. Once it has ended, workers may go on, but nobody counts them. */
  isFed: boolean;
}

/** Null where no command has begun to feed a queue from this folder, or where it came to the end. */
export async function queueOf(folder: string): Promise<SeenQueue | null> {
  const state = await readOwn(fileIn(folder), QueueState, 'the command that feeds the queue writes it anew.');
  if (state === null) return null;
  const { feeder, ...seen } = state;
  return { ...seen, isFed: !hasEnded(feeder) };
}
