// Splits long work of the worker into slices: the computation regularly checks whether the slice is over, and then lets messages in and
// out.

import type { Parts } from '@projected-grpo-lab/base/parts.ts';
import { turn } from '../../lib/turn.ts';

/** Milliseconds of a slice: the page is updated some twenty times a second. */
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
    await turn();
    this.from = this.now();
  };

  /** Throws the signal's abort reason. */
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
