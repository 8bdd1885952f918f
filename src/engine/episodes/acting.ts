// Environments at work while the engine goes on: answers that are under way, and a place to wait for the next of them.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';

/** T: whose answer it is; R: what is answered. */
export class Acting<T, R> {
  private readonly answers: { of: T; reply: R }[] = [];
  private failure: { error: unknown } | null = null;
  private wake: () => void = () => {};
  /** Not answered yet. */
  waiting = 0;

  /** `ask` is called at once. What it throws is thrown by `take`. */
  start(of: T, ask: () => Promise<R>): void {
    this.waiting++;
    // Asked within a promise: one that throws at once is no other than one that rejects.
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

  /** Until there is an answer to take, or nothing is waited for. Throws StoppedError when it is aborted; who is still at work is
   *  left to hear of that by itself. */
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
