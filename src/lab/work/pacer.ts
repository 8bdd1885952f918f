// Pause, single step, and other uses of the model between two steps. A run is a stream of events that is pulled, so a pause means not to
// pull the next one. Its follower waits here at every boundary between steps; results do not depend on the wait. Parallel runs all wait,
// and a single step trains one step of each.
import type { Pace } from '../protocol/protocol.ts';

/** A run that waits at a boundary. */
interface Held {
  /** Whether it may continue although the pace is `pause`. */
  mayGo: boolean;
  wake(): void;
}

export class Pacer {
  #pace: Pace = 'go';
  readonly #held = new Set<Held>();
  /** Requests for the model between two steps, in their order. */
  readonly #requests: { serve(run: AbortSignal): Promise<void>; cancel(): void }[] = [];
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

  get isPaused(): boolean {
    return this.#pace === 'pause';
  }

  /** Whether the next boundary will wait. */
  get holds(): boolean {
    return this.isPaused || this.#requests.length > 0;
  }

  /** A `step` during a step lets that one end, and then waits. */
  set(pace: Pace): void {
    this.#pace = pace === 'step' && this.#held.size === 0 ? 'pause' : pace;
    if (this.#pace === 'pause') return;
    for (const held of this.#held) held.mayGo = true;
    this.#wake();
  }

  /** Resolves when the run may continue or is being stopped, with the milliseconds that it waited. */
  async pass(signal: AbortSignal): Promise<number> {
    const since = this.#now();
    if (this.#held.size === 0) this.#since = since;
    const held: Held = { mayGo: !this.isPaused, wake: () => {} };
    this.#held.add(held);
    await this.#serve(signal);
    while (!held.mayGo && !signal.aborted) {
      await new Promise<void>((resolve) => {
        held.wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await this.#serve(signal);
    }
    this.#held.delete(held);
    if (this.#held.size === 0) this.#waited += this.#now() - this.#since;
    if (this.#pace === 'step') this.#pace = 'pause';
    return this.#now() - since;
  }

  /**
   * Resolves with the result of `work` at the next boundary of a run, where it has the model to itself; a paused run is at one. Null if no
   * run reached one before the end. `work` is stopped with the run. Rejects if `signal` ends the wait.
   */
  between<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<{ value: T } | null> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#requests.splice(this.#requests.indexOf(request), 1);
        reject(signal.reason);
      };
      const request = {
        async serve(run: AbortSignal) {
          signal.removeEventListener('abort', leave);
          await work(AbortSignal.any([signal, run])).then((value) => resolve({ value }), reject);
        },
        cancel() {
          signal.removeEventListener('abort', leave);
          resolve(null);
        },
      };
      this.#requests.push(request);
      signal.addEventListener('abort', leave, { once: true });
      this.#wake();
    });
  }

  /** Cancels requests that still wait for a boundary, since there is none any more. */
  end(): void {
    for (const request of this.#requests.splice(0)) request.cancel();
  }

  #wake(): void {
    for (const { wake } of this.#held) wake();
  }

  /** Serves requests that are waiting now; later ones wait for the next step. */
  async #serve(run: AbortSignal): Promise<void> {
    for (let left = this.#requests.length; left > 0; left--) await this.#requests.shift()?.serve(run);
  }
}
