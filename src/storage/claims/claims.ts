// The interface for distributing work: a worker claims an item, regularly signals that it still works on it, and releases it. A claim only
// avoids duplicate work; correctness does not depend on it, since every worker computes the same bytes. Items are known only by id.

/** A claim is held by one worker until it releases it, or is silent for a whole lease. */
export interface Claim {
  readonly id: string;
  /** Reports the current step to others, and keeps the claim. */
  at(step: number): void;
  /** Whether another worker has it now, because this one was silent for too long. */
  isLost(): boolean;
  /** Lets others claim it. */
  release(): Promise<void>;
}

/** The holder of a claim, and the step that it reports. */
export interface Holder {
  id: string;
  worker: string;
  step: number;
  /** Whether the process is known to have ended without releasing the claim. */
  hasEnded: boolean;
}

export interface Claims {
  /** Null if another worker holds it. Throws StorageError. */
  claim(id: string): Promise<Claim | null>;
  holders(): Promise<Holder[]>;
}

/** Called with the last reported step when a claim is taken from a worker that is gone. */
export type OnLost = (lost: Pick<Holder, 'id' | 'worker' | 'step'> & { token: string }) => Promise<void>;

/** Milliseconds of silence after which anyone may take a claim. */
export const LEASE_MS = 60_000;
/** Heartbeats within a lease. */
export const BEATS_PER_LEASE = 6;

/** Detects silent holders. A heartbeat is a text; the observer measures with its own steady clock how long it has not changed, so that two
 *  clocks are never compared. */
export class Silence {
  readonly #lease: number;
  #seen = new Map<string, { sign: string; since: number }>();

  constructor(lease: number) {
    this.#lease = lease;
  }

  /** `now`: milliseconds of a steady clock. The first observation of a sign starts its time. */
  isOver(id: string, sign: string, now: number): boolean {
    const seen = this.#seen.get(id);
    if (seen?.sign === sign) return now - seen.since >= this.#lease;
    this.#seen.set(id, { sign, since: now });
    return false;
  }

  forget(id: string): void {
    this.#seen.delete(id);
  }
}
