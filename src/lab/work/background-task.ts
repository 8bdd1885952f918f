// A longer piece of work on the loaded model that a person asked for besides an experiment: one at a time, stoppable, and
// ended where an experiment starts, because both set the model's adapter parameters.
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { turn } from '../../lib/turn.ts';

/** Lets messages in, among them the one that stops this: on the CPU device nothing waits by itself. Throws StoppedError. */
export async function turnOrStop(signal: AbortSignal): Promise<void> {
  await turn();
  if (signal.aborted) throw stoppedBy(signal);
}

const stoppedBy = ({ reason }: AbortSignal) => (reason instanceof StoppedError ? reason : new StoppedError());

/** A stream drawn to its end, which can be stopped after each value. Throws StoppedError where it was. */
export async function drawn<T, Result>(
  stream: AsyncGenerator<T, Result>,
  signal: AbortSignal,
  onNext: (value: T) => void,
): Promise<Result> {
  try {
    for (;;) {
      const next = await stream.next();
      if (next.done) return next.value;
      onNext(next.value);
      await turnOrStop(signal);
    }
  } catch (error) {
    // What it holds may be on the device.
    await stream.throw(error).catch(() => {});
    // Whatever was interrupted says so in its own way.
    throw signal.aborted ? stoppedBy(signal) : error;
  }
}

export class BackgroundTask {
  readonly #first = new Set<Promise<unknown>>();
  #current: { task: string; stop: AbortController; ended: Promise<unknown> } | null = null;

  /** Throws SpecError where one is at work already, and StoppedError when this one was stopped. */
  async run<T>(task: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    while (this.#first.size > 0) await Promise.allSettled(this.#first);
    if (this.#current)
      throw new SpecError('The model is busy with another request.', 'Wait until it ends, or cancel it.');
    const stop = new AbortController();
    const done = work(stop.signal);
    const current = { task, stop, ended: done.catch(() => {}) };
    this.#current = current;
    try {
      return await done;
    } finally {
      if (this.#current === current) this.#current = null;
    }
  }

  /** Whether there was something to stop. */
  stop(task: string): boolean {
    if (this.#current?.task !== task) return false;
    this.#current.stop.abort(new StoppedError('stopped', 'Ask again.'));
    return true;
  }

  /** Does what goes first: what is at work is ended, and what is asked meanwhile waits. */
  async before<T>(work: () => Promise<T>): Promise<T> {
    const reason = 'Stopped: an experiment or a change of device needs the model.';
    this.#current?.stop.abort(new StoppedError(reason, 'Ask again when the experiment has ended.'));
    const first = this.ended().then(work);
    this.#first.add(first);
    try {
      return await first;
    } finally {
      this.#first.delete(first);
    }
  }

  /** Resolves when nothing is at work. */
  async ended(): Promise<void> {
    while (this.#current) await this.#current.ended.then(turn);
  }
}
