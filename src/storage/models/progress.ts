// Progress of a download or a copy: bytes, speed over the last seconds, time left. The clock is passed in, so that tests control it.

/** A part of `ModelEvent` (src/lab/protocol/models.ts). */
export interface ModelProgress {
  /** File and action: `model.safetensors`, `checking model.safetensors`. */
  what: string;
  /** Bytes. */
  done: number;
  total: number;
  /** Null until there is something to measure. */
  bytesPerSecond: number | null;
  etaSeconds: number | null;
}

/** Speed is averaged over only the last seconds, so that a slowing download is visible. */
const WINDOW_MS = 5_000;
const EMIT_MS = 250;

export class ProgressMeter {
  readonly #now: () => number;
  readonly #emit: (progress: ModelProgress) => void;
  #what = '';
  #done = 0;
  #total = 0;
  #emitted = Number.NEGATIVE_INFINITY;
  /** Bytes done by time, the oldest first; at most the first sample is outside the window. */
  #samples: { at: number; done: number }[] = [];

  /** `now` in milliseconds. */
  constructor(now: () => number, emit: (progress: ModelProgress) => void) {
    this.#now = now;
    this.#emit = emit;
  }

  /** Starts a new task; bytes that are stored already count as done, but not for the speed. */
  start(what: string, done: number, total: number): void {
    [this.#what, this.#done, this.#total] = [what, done, total];
    this.#samples = [{ at: this.#now(), done }];
    this.#send();
  }

  /** Renames the current task. */
  name(what: string): void {
    this.#what = what;
    this.#send();
  }

  /** The number is negative if bytes were wrong and were deleted. */
  add(bytes: number): void {
    const now = this.#now();
    this.#done += bytes;
    if (bytes < 0) this.#samples = [];
    this.#samples.push({ at: now, done: this.#done });
    while (this.#samples.length > 2 && now - this.#samples[1].at >= WINDOW_MS) this.#samples.shift();
    if (now - this.#emitted >= EMIT_MS || this.#done >= this.#total) this.#send();
  }

  #send(): void {
    this.#emitted = this.#now();
    const first = this.#samples[0];
    const last = this.#samples[this.#samples.length - 1];
    const elapsed = first && last ? last.at - first.at : 0;
    const speed = elapsed > 0 ? ((last.done - first.done) / elapsed) * 1000 : null;
    this.#emit({
      what: this.#what,
      done: this.#done,
      total: this.#total,
      bytesPerSecond: speed,
      etaSeconds: speed ? Math.max(0, this.#total - this.#done) / speed : null,
    });
  }
}
