// The seam for where work goes: whoever would do a piece of work claims it first, says now and then that it is still at it, and gives
// it back. A claim saves others the time of doing the same; it guards nothing, since what is claimed comes to the same bytes by whomever
// it is done. Work is known by an id alone.

/** Held by one worker until it is released, or until that worker is silent for as long as a lease. */
export interface Claim {
  readonly id: string;
  /** How far the work is, for others to see; keeps the claim. */
  at(step: number): void;
  /** Whether somebody else has it by now: this worker was silent for too long. */
  isLost(): boolean;
  /** Others may claim it. */
  release(): Promise<void>;
}

/** Who holds a claim, and how far it says it is. */
export interface Holder {
  id: string;
  worker: string;
  step: number;
  /** Known to have ended without releasing it. */
  hasEnded: boolean;
}

export interface Claims {
  /** Null where somebody else holds it. Throws StorageError. */
  claim(id: string): Promise<Claim | null>;
  holders(): Promise<Holder[]>;
}

/** Called when a claim is taken from a worker that is gone: how far it was. */
export type OnLost = (lost: Pick<Holder, 'id' | 'worker' | 'step'> & { token: string }) => Promise<void>;

/** Silence after which a claim is anybody's, in milliseconds. */
export const LEASE_MS = 60_000;
/** Signs of life within a lease. */
export const BEATS_PER_LEASE = 6;

/**
 * Who is silent, by counting. What a holder says is looked at as a text that changes or does not; for how long it has not is measured
 * by the looker's own steady clock, so that no two clocks are ever compared.
 */
export class Silence {
  readonly #lease: number;
  #seen = new Map<string, { sign: string; since: number }>();

  constructor(lease: number) {
    this.#lease = lease;
  }

  /** `now`: milliseconds of a steady clock. The first look at a sign begins its time. */
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
