// Pause and single step. An experiment is a stream of events that is pulled: to pause is not to pull the next one. The
// session asks here at every boundary between steps; what is computed does not depend on how long it waits.
import type { Pace } from '../protocol/protocol.ts';

export class Pacer {
  #pace: Pace = 'go';
  #wake: (() => void) | null = null;
  #waited = 0;
  readonly #now: () => number;

  /** `now` in milliseconds of a steady clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds waited so far: a step's timing must not count them. */
  get waited(): number {
    return this.#waited;
  }

  /** Whether the next boundary will wait. */
  get holds(): boolean {
    return this.#pace === 'pause';
  }

  /** A `step` in the middle of a step lets that one end, and waits. */
  set(pace: Pace): void {
    this.#pace = pace === 'step' && !this.#wake ? 'pause' : pace;
    if (this.#pace !== 'pause') this.#wake?.();
  }

  /** Resolves when the experiment may go on, or is being stopped. */
  async pass(signal: AbortSignal): Promise<void> {
    if (this.#pace === 'pause' && !signal.aborted) {
      const since = this.#now();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      this.#wake = null;
      this.#waited += this.#now() - since;
    }
    if (this.#pace === 'step') this.#pace = 'pause';
  }
}
