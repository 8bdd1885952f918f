// Which results of strangers are believed. A worker's results come in batches, the first of one run; of each batch one, drawn when the
// batch is complete, is made again by somebody else on the same kind of device. Equal bytes: the batch counts. Other bytes: a third
// opinion decides, or a worker that the lab trusts; whoever was wrong is a liar, and everything of it is dropped. Pure: who draws and
// who keeps what is told from outside.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';

/** What somebody says that a run comes to. */
interface Opinion {
  /** Null: one that is trusted, a command line with the server's own password. */
  worker: string | null;
  digest: string;
  /** The device's name; only opinions of one kind are compared. */
  device: string;
}

export interface Claimed {
  id: string;
  worker: string;
  batch: number;
  digest: string;
  device: string;
  /** `held` until its batch has been checked. */
  state: 'held' | 'counted';
  /** Null: nobody makes it again. */
  opinions: Opinion[] | null;
}

/** What follows from something that was heard, in this order. */
export interface Ruling {
  /** Results that count from now on. */
  counts: string[];
  liars: { worker: string; why: string }[];
  /** Results to forget, and to have made again. */
  dropped: string[];
  /** Runs to have made again, to compare. */
  checks: string[];
}

/** Opinions of one run, after which it is given up to those that are trusted. */
const MOST_OPINIONS = 5;

export class Ledger {
  readonly #claims = new Map<string, Claimed>();
  readonly #liars = new Map<string, string>();
  readonly #every: number;
  readonly #draw: (worker: string, batch: number) => number;

  /** @param every results of a batch. @param draw of [0, 1); a worker must not know it. */
  constructor(every: number, draw: (worker: string, batch: number) => number, known: readonly Claimed[] = []) {
    if (!Number.isInteger(every) || every < 1) throw new SpecError('A batch has no results.', 'Give 1 or more.');
    this.#every = every;
    this.#draw = draw;
    for (const claim of known) this.#claims.set(claim.id, claim);
  }

  get workers(): string[] {
    return [...new Set([...this.#claims.values()].map(({ worker }) => worker))];
  }

  /** Results that do not count yet. */
  get held(): number {
    return [...this.#claims.values()].filter(({ state }) => state === 'held').length;
  }

  get liars(): number {
    return this.#liars.size;
  }

  get(id: string): Claimed | undefined {
    return this.#claims.get(id);
  }

  /** Whether this worker may make it again: it is nobody's own judge. */
  mayCheck(id: string, worker: string): boolean {
    const claim = this.#claims.get(id);
    return claim !== undefined && claim.worker !== worker && !claim.opinions?.some((other) => other.worker === worker);
  }

  accuse(worker: string, why: string): Ruling {
    return this.#drop(new Map([[worker, why]]));
  }

  claim(id: string, worker: string, digest: string, device: string): Ruling {
    const verdict = nothing();
    if (this.#claims.has(id) || this.#liars.has(worker)) return verdict;
    const own = this.#of(worker);
    const batch = own.length === 0 ? 0 : 1 + Math.floor((own.length - 1) / this.#every);
    this.#claims.set(id, { id, worker, batch, digest, device, state: 'held', opinions: null });
    const size = batch === 0 ? 1 : this.#every;
    if (this.#of(worker).filter((claim) => claim.batch === batch).length === size)
      verdict.checks = this.#begin(worker, batch);
    return verdict;
  }

  /** The worker has gone, or there is no more to do: what it has not filled is checked as it is. */
  close(worker: string): Ruling {
    const open = this.#of(worker).find(
      ({ batch, state }) => state === 'held' && this.#of(worker).every((c) => c.batch !== batch || !c.opinions),
    );
    return { ...nothing(), checks: open ? this.#begin(worker, open.batch) : [] };
  }

  opinion(id: string, opinion: Opinion): Ruling {
    const claim = this.#claims.get(id);
    if (!claim?.opinions) return nothing();
    const first: Opinion = { worker: claim.worker, digest: claim.digest, device: claim.device };
    if (opinion.device !== claim.device) {
      // Of another kind, it says nothing; another may be found.
      const asked = claim.opinions.length < MOST_OPINIONS;
      claim.opinions.push(opinion);
      return { ...nothing(), checks: asked ? [id] : [] };
    }
    claim.opinions.push(opinion);
    const alike = [first, ...claim.opinions].filter(({ device }) => device === claim.device);
    const truth = decided(alike);
    if (truth === null) return { ...nothing(), checks: claim.opinions.length < MOST_OPINIONS ? [id] : [] };
    const wrong = new Map<string, string>();
    for (const { worker, digest } of alike)
      if (worker !== null && digest !== truth)
        wrong.set(worker, `of run ${id} it said ${digest}, and others made ${truth}`);
    const verdict = wrong.size > 0 ? this.#drop(wrong) : nothing();
    if (claim.digest === truth)
      for (const other of this.#of(claim.worker))
        if (other.batch === claim.batch && other.state === 'held') {
          other.state = 'counted';
          verdict.counts.push(other.id);
        }
    return verdict;
  }

  #of(worker: string): Claimed[] {
    return [...this.#claims.values()].filter((claim) => claim.worker === worker);
  }

  #begin(worker: string, batch: number): string[] {
    const claims = this.#of(worker).filter((claim) => claim.batch === batch);
    const drawn = claims[Math.floor(this.#draw(worker, batch) * claims.length)];
    drawn.opinions = [];
    return [drawn.id];
  }

  #drop(liars: ReadonlyMap<string, string>): Ruling {
    const verdict = nothing();
    for (const [worker, why] of liars) {
      if (this.#liars.has(worker)) continue;
      this.#liars.set(worker, why);
      verdict.liars.push({ worker, why });
      for (const { id } of this.#of(worker)) {
        this.#claims.delete(id);
        verdict.dropped.push(id);
      }
    }
    // What a liar said of others is worth nothing: they are asked for again where nobody else has spoken.
    for (const claim of this.#claims.values()) {
      if (!claim.opinions?.some(({ worker }) => worker !== null && liars.has(worker))) continue;
      claim.opinions = claim.opinions.filter(({ worker }) => worker === null || !liars.has(worker));
      if (claim.state === 'held' && claim.opinions.length === 0) verdict.checks.push(claim.id);
    }
    return verdict;
  }
}

const nothing = (): Ruling => ({ counts: [], liars: [], dropped: [], checks: [] });

/** One that is trusted decides; else two of different workers that agree. Null: nobody knows yet. */
function decided(opinions: readonly Opinion[]): string | null {
  const trusted = opinions.find(({ worker }) => worker === null);
  if (trusted) return trusted.digest;
  for (const { digest, worker } of opinions)
    if (opinions.some((other) => other.worker !== worker && other.digest === digest)) return digest;
  return null;
}
