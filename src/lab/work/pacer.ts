// Pause and single step. A run is a stream of events that is pulled: to pause is not to pull the next one. Whoever follows one
// asks here at every boundary between its steps; what is computed does not depend on how long it waits. Of runs side by side all
// wait, and one step is one of each.
import type { Pace } from '../protocol/protocol.ts';

export class Pacer {
  #pace: Pace = 'go';
  readonly #held = new Set<() => void>();
  /** When the first of those that are held began to wait. */
  #since = 0;
  #waited = 0;
  readonly #now: () => number;

  /** `now` in milliseconds of a steady clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds in which somebody waited, so far: an experiment's clock must not count them. */
  get waited(): number {
    return this.#waited;
  }

  /** Whether the next boundary will wait. */
  get holds(): boolean {
    return this.#pace === 'pause';
  }

  /** A `step` in the middle of a step lets that one end, and waits. */
  set(pace: Pace): void {
    this.#pace = pace === 'step' && this.#held.size === 0 ? 'pause' : pace;
    if (this.#pace !== 'pause') for (const wake of this.#held) wake();
  }

  /** Resolves when the run may go on, or is being stopped: with the milliseconds that it waited. */
  async pass(signal: AbortSignal): Promise<number> {
    let own = 0;
    if (this.#pace === 'pause' && !signal.aborted) {
      const since = this.#now();
      if (this.#held.size === 0) this.#since = since;
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#held.delete(wake);
          resolve();
        };
        this.#held.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
      own = this.#now() - since;
      if (this.#held.size === 0) this.#waited += this.#now() - this.#since;
    }
    if (this.#pace === 'step') this.#pace = 'pause';
    return own;
  }
}
