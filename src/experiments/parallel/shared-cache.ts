// Cache shared by the runs of one experiment, where they are trained in parallel: a teacher pool, the gradients of pairs, the base's
// evaluations are made by one worker and taken by the others; and a worker without a run makes what another one has offered (the models of
// its final evaluation). A value has the same bytes whoever makes it, so that nothing depends on who was first.

import type { RunSpec } from '../config/run-spec.ts';
import type { ArtifactStore } from '../records/artifacts.ts';

/** A key and its value; without one it is the asker's to make, and everybody else who wants it waits for that. */
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

/** The cache as a worker sees it. Values are what structured clone carries. */
export interface SharedWork {
  /** Returns a made value among `keys`, or else a key that no worker is making, in this order; waits where others make all of them. */
  next(keys: readonly string[]): Promise<Turn>;
  /** Keeps a value that `next` asked this worker to make. */
  keep(key: string, value: unknown): Promise<void>;
  /** An idle worker may make these; the one that offers them takes its part by `next`. */
  offer(offers: readonly Offer[]): Promise<void>;
}

/** The cache of a run that is trained alone. */
export const ALONE: SharedWork = {
  next: async ([key]) => ({ key, made: null }),
  keep: async () => {},
  offer: async () => {},
};

/** The workers of an experiment share one. */
export class SharedCache implements SharedWork {
  /** Null while somebody makes it. */
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

  /** An offer for a worker that has nothing to do, as soon as there is one; null when there will be none. */
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

  /** Ends the offers. With an error, every waiting worker fails with it. */
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

/** The store, whose teacher pools are made by one worker only: loadPool, and savePool after a null. */
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
