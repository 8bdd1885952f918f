// Tasks that are worked off by several workers at once: a queue that hands each out once, as soon as it may begin, and the loop in
// which the first failure ends the others. Runs of an experiment go through it, on processes and on web workers of one machine.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';

export class TaskQueue<T> {
  readonly #waiting: T[];
  /** The one of those that wait which may begin now; undefined where none may. */
  readonly #next: (waiting: readonly T[]) => T | undefined;
  #idle: (() => void)[] = [];
  #atWork = 0;
  #closed = false;

  constructor(tasks: readonly T[], next: (waiting: readonly T[]) => T | undefined) {
    this.#waiting = [...tasks];
    this.#next = next;
  }

  /** Resolves when a task may begin. Null: none is left, the queue was closed, or nobody is at work on what the rest waits for. */
  async take(): Promise<T | null> {
    while (!this.#closed && this.#waiting.length > 0) {
      const task = this.#next(this.#waiting);
      if (task !== undefined) {
        this.#waiting.splice(this.#waiting.indexOf(task), 1);
        this.#atWork++;
        return task;
      }
      if (this.#atWork === 0) return null;
      await new Promise<void>((resolve) => void this.#idle.push(resolve));
    }
    return null;
  }

  /** A task has ended, in whatever way: what waits for it may begin, and says itself what it misses. */
  ended(): void {
    this.#atWork--;
    this.#changed();
  }

  #changed(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Nobody is given another. */
  close(): void {
    this.#closed = true;
    this.#changed();
  }
}

/** One task after another, until there is none. */
export async function workThrough<T>(queue: TaskQueue<T>, work: (task: T) => Promise<void>): Promise<void> {
  for (let task = await queue.take(); task !== null; task = await queue.take()) {
    try {
      await work(task);
    } finally {
      queue.ended();
    }
  }
}

/** All workers at once. `onFailure` ends the others; then the first failure that is not their being stopped is thrown. */
export async function drain<W>(
  workers: readonly W[],
  serve: (worker: W) => Promise<void>,
  onFailure: (worker: W, error: unknown) => void,
): Promise<void> {
  const failures: unknown[] = [];
  const fail = (worker: W, error: unknown) => {
    failures.push(error);
    onFailure(worker, error);
  };
  await Promise.all(workers.map((worker) => serve(worker).catch((error) => fail(worker, error))));
  // A worker that was told to stop says no more than that; what made it stop came before.
  const failure = failures.find((error) => !(error instanceof StoppedError)) ?? failures[0];
  if (failure !== undefined) throw failure;
}
