// The simulated clock: a start, plus the real seconds that have passed, plus an offset; it can be paused, and jumps by its offset.
// What "real" is comes from outside: the stepper hands in a clock that it moves itself, a page one that runs.

export class Clock {
  /** Seconds; simulated. */
  private start = 0;
  private realStart: number;
  /** Jumps made while it ran, less the pauses. */
  offset = 0;
  isPaused = false;
  private pausedAt = 0;
  /** Seconds passed when it was paused. */
  private frozen = 0;
  /** Jumps made while it is paused. */
  private pauseOffset = 0;

  /** @param real seconds of the clock that drives this one */
  constructor(private readonly real: () => number) {
    this.realStart = real();
  }

  time(): number {
    return this.start + this.passed();
  }

  passed(): number {
    // If nothing had passed when it was paused, it runs on, as in the reference (ARE, arXiv 2509.17158): 0 is taken for "not set".
    if (this.isPaused && this.frozen !== 0) return this.frozen + this.pauseOffset;
    return this.realPassed() + this.offset;
  }

  realPassed(): number {
    return this.real() - this.realStart;
  }

  reset(start: number): void {
    this.start = start;
    this.realStart = this.real();
    this.offset = 0;
    this.isPaused = false;
  }

  pause(): void {
    if (this.isPaused) return;
    this.pausedAt = this.real();
    this.frozen = this.passed();
    this.isPaused = true;
    this.pauseOffset = 0;
  }

  resume(): void {
    if (!this.isPaused) return;
    this.offset += this.pauseOffset - (this.real() - this.pausedAt);
    this.pauseOffset = 0;
    this.isPaused = false;
  }

  addOffset(seconds: number): void {
    if (this.isPaused) this.pauseOffset += seconds;
    else this.offset += seconds;
  }
}

/** A real clock that stands still until it is moved. */
export class ManualClock {
  now = 0;
}

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export const stamp = (seconds: number): string =>
  new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ');
