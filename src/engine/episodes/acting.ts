// Environments that work while the engine goes on: their pending answers, and a way to wait for the next one.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';

/** T: whose answer it is; R: what is answered. */
export class Acting<T, R> {
  private readonly answers: { of: T; reply: R }[] = [];
  private failure: { error: unknown } | null = null;
  private wake: () => void = () => {};
  /** Number of answers that have not come yet. */
  waiting = 0;

  /** `ask` is called at once. What it throws is thrown by `take`. */
  start(of: T, ask: () => Promise<R>): void {
    this.waiting++;
    // Runs `ask` within a promise, so that throwing at once equals rejecting.
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

  /** Answers that have come since the last call. */
  take(): { of: T; reply: R }[] {
    if (this.failure) throw this.failure.error;
    return this.answers.splice(0);
  }

  /** Waits until there is an answer to take, or nothing is waited for. Throws StoppedError when it is aborted; episodes
   *  that are still at work hear of that by themselves. */
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
