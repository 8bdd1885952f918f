// Cache shared by parallel runs of one experiment: a teacher pool, the pairs' gradients and the base's evaluations are made by one worker and used
// by all, and a worker without a run does jobs that another one offered (the models of its final evaluation). A value has the same bytes whoever
// makes it, so results do not depend on timing.

import type { RunSpec } from '../config/run-spec.ts';
import type { ArtifactStore } from '../records/artifacts.ts';

/** A key with its value; if `made` is null, the caller must make it, and others that need it wait. */
interface Turn {
  key: string;
  made: { value: unknown } | null;
}

/** A model that any worker can evaluate on the final set of the run's environment. */
export interface EvaluationJob {
  spec: RunSpec;
  adapterParams: Float32Array;
}

interface Offer {
  key: string;
  job: EvaluationJob;
}

/** The cache as seen by a worker. Values must be structured-cloneable. */
export interface SharedWork {
  /** Returns a made value among `keys`, or else the first key that no worker is making; waits if others are making all of them. */
  next(keys: readonly string[]): Promise<Turn>;
  /** Stores a value that `next` told this worker to make. */
  keep(key: string, value: unknown): Promise<void>;
  /** Offers jobs that an idle worker may do; the offering worker takes its own share by `next`. */
  offer(offers: readonly Offer[]): Promise<void>;
}

/** The cache of a single run, which shares nothing. */
export const ALONE: SharedWork = {
  next: async ([key]) => ({ key, made: null }),
  keep: async () => {},
  offer: async () => {},
};

/** The cache that the workers of one experiment share. */
export class SharedCache implements SharedWork {
  /** Null while a worker is making the value. */
  readonly #known = new Map<string, { value: unknown } | null>();
  readonly #offers: Offer[] = [];
  #waiting: (() => void)[] = [];
  #end: { error: Error | null } | null = null;

  /** `made`: values that were made before the runs began, by key. */
  constructor(made: ReadonlyMap<string, unknown> = new Map()) {
    for (const [key, value] of made) this.#known.set(key, { value });
  }

  async next(keys: readonly string[]): Promise<Turn> {
    for (;;) {
      if (this.#end?.error) throw this.#end.error;
      const made = keys.find((key) => this.#known.get(key));
      if (made !== undefined) return { key: made, made: this.#known.get(made)! };
      const free = keys.find((key) => !this.#known.has(key));
      if (free !== undefined) {
        this.#known.set(free, null);
        return { key: free, made: null };
      }
      await this.#news();
    }
  }

  async keep(key: string, value: unknown): Promise<void> {
    this.#known.set(key, { value });
    this.#wake();
  }

  async offer(offers: readonly Offer[]): Promise<void> {
    this.#offers.push(...offers);
    this.#wake();
  }

  /** Resolves with the next offer for an idle worker; null when there will be no more. */
  async take(): Promise<Offer | null> {
    for (;;) {
      if (this.#end) return null;
      for (let offer = this.#offers.shift(); offer; offer = this.#offers.shift()) {
        if (this.#known.has(offer.key)) continue;
        this.#known.set(offer.key, null);
        return offer;
      }
      await this.#news();
    }
  }

  /** Ends the offers. With an error, all waiting workers fail with it. */
  close(error: Error | null): void {
    this.#end ??= { error };
    this.#wake();
  }

  #news(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** A store whose teacher pools are each made by one worker: loadPool, and savePool after a null. */
export function sharedPools(store: ArtifactStore, common: SharedWork): ArtifactStore {
  const keyOf = (pool: string) => `pool ${pool}`;
  return {
    ...store,
    async loadPool(pool) {
      const { made } = await common.next([keyOf(pool)]);
      if (made) return made.value as string;
      const kept = await store.loadPool(pool);
      if (kept !== null) await common.keep(keyOf(pool), kept);
      return kept;
    },
    async savePool(pool, jsonLines) {
      await store.savePool(pool, jsonLines);
      await common.keep(keyOf(pool), jsonLines);
    },
  };
}
