// Pause and single step. A run is a stream of events that is pulled, so a pause does not pull the next one. Its follower waits here at
// every boundary between steps; results do not depend on how long it waits. Parallel runs all wait, and a single step trains one step of
// each.
import type { Pace } from '../protocol/protocol.ts';

export class Pacer {
  #pace: Pace = 'go';
  readonly #held = new Set<() => void>();
  /** When the first of the waiting runs began to wait. */
  #since = 0;
  #waited = 0;
  readonly #now: () => number;

  /** `now`: milliseconds of a steady clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Total milliseconds with a waiting run, which an experiment's clock must not count. */
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

  /** Resolves when the run may go on or is being stopped, with the milliseconds that it waited. */
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
