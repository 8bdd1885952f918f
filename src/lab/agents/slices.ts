// Long work of the worker in slices: whoever computes asks now and then whether the slice is over, and if so lets messages in and out. A
// message and no timer, since browsers slow the timers of a page that is not looked at.

import type { Parts } from '@projected-grpo-lab/base/parts.ts';

/** Milliseconds of a slice: what has happened is shown some twenty times a second. */
const SLICE = 40;

export class Slices {
  private from: number;

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly most = SLICE,
  ) {
    this.from = now();
  }

  get isOver(): boolean {
    return this.now() - this.from > this.most;
  }

  readonly breathe = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    });
    this.from = this.now();
  };

  /** Throws what the signal was aborted with. */
  async through<T>(parts: Parts<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      const { done, value } = parts.next();
      if (done) return value;
      if (!this.isOver) continue;
      await this.breathe();
      signal?.throwIfAborted();
    }
  }
}
