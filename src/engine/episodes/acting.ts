// Lets environments compute while the engine continues: collects their pending answers and waits for the next one.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';

/** T identifies who asked; R is the type of the reply. */
export class Acting<T, R> {
  private readonly answers: { of: T; reply: R }[] = [];
  private failure: { error: unknown } | null = null;
  private wake: () => void = () => {};
  /** Number of pending answers. */
  waiting = 0;

  /** Calls `ask` at once. `take` rethrows its error. */
  start(of: T, ask: () => Promise<R>): void {
    this.waiting++;
    // Inside a promise, a synchronous throw of `ask` becomes a rejection.
    new Promise<R>((resolve) => resolve(ask()))
      .then(
        (reply) => {
          this.answers.push({ of, reply });
        },
        (error: unknown) => {
          this.failure ??= { error };
        },
      )
      .finally(() => {
        this.waiting--;
        this.wake();
      });
  }

  /** Answers that have arrived since the last call. */
  take(): { of: T; reply: R }[] {
    if (this.failure) throw this.failure.error;
    return this.answers.splice(0);
  }

  /** Waits until an answer has arrived or none is pending. Throws StoppedError on abort; pending environments are not
   *  notified here. */
  async next(signal?: AbortSignal): Promise<void> {
    const isIdle = () => this.waiting > 0 && this.answers.length === 0 && !this.failure && !signal?.aborted;
    while (isIdle()) {
      await new Promise<void>((resolve) => {
        const go = () => {
          signal?.removeEventListener('abort', go);
          resolve();
        };
        this.wake = go;
        signal?.addEventListener('abort', go);
      });
    }
    if (signal?.aborted) throw new StoppedError();
  }
}
