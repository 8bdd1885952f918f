// Work of a probe, in gradients of single completions, the unit of its cost and its time left. It is a separate file because the page
// imports it without the probe.

/**
 * Gradients of both sides of every pair: for the basis, for the GRPO-contrastive one, and again cut to the same length. Then the pool,
 * twice.
 */
export function probeWork(samples: number, problems: number, pairs: number) {
  const [bases, replay] = [6 * pairs, samples * problems];
  return { bases, replay, all: bases + 2 * replay };
}

/** Work of one adapter's two runs. Sampling a completion costs about one gradient, and each inner epoch takes another. */
export function trainingWork(
  steps: number,
  { promptsPerStep, groupSize, innerEpochs }: { promptsPerStep: number; groupSize: number; innerEpochs: number },
): number {
  return 2 * steps * promptsPerStep * groupSize * (1 + innerEpochs);
}

/** A part of the work: the name of its progress and its amount. */
export type Phase = readonly [what: string, work: number];

export function replayPhases(samples: number, problems: number, pairs: number, label = ''): Phase[] {
  const { bases, replay } = probeWork(samples, problems, pairs);
  return [
    [`${label}hack basis`, bases / 3],
    [`${label}GRPO-contrastive basis`, (2 * bases) / 3],
    [`${label}vanilla replay`, replay],
    [`${label}projected replay`, replay],
  ];
}

/** Progress over all phases, and the time left at the speed so far. */
export class Pace {
  readonly #phases = new Map<string, { from: number; work: number }>();
  readonly #all: number;
  #began: number | null = null;
  #worked = 0;
  /** Work found in the store, which cost no time now and must not count as speed. */
  #skipped = 0;
  #phase = '';

  constructor(phases: readonly Phase[]) {
    let from = 0;
    for (const [what, work] of phases) {
      this.#phases.set(what, { from, work });
      from += work;
    }
    this.#all = from;
  }

  /** Progress under a name that is no phase counts as no work. `now`: milliseconds of a steady clock. */
  at(what: string, done: number, total: number, now: number): { fraction: number; etaSeconds: number | null } {
    this.#began ??= now;
    const { from, work } = this.#phases.get(what) ?? { from: this.#worked, work: 0 };
    const worked = from + (total > 0 ? (work * done) / total : 0);
    if (what !== this.#phase) this.#skipped += Math.max(0, worked - this.#worked);
    this.#phase = what;
    this.#worked = worked;
    const fresh = worked - this.#skipped;
    const seconds = (now - this.#began) / 1000;
    const etaSeconds = fresh > 0 && seconds > 0 ? (seconds / fresh) * (this.#all - worked) : null;
    return { fraction: this.fraction, etaSeconds };
  }

  /** Work done so far, 0 … 1. */
  get fraction(): number {
    return this.#all > 0 ? this.#worked / this.#all : 1;
  }
}
