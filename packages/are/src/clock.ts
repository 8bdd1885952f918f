// The simulated clock: a start, plus elapsed real seconds, plus an offset; it can be paused, and jumps by changing its offset. The real
// seconds come from outside: the stepper passes a clock that it sets itself, a page a running one.

export class Clock {
  /** Simulated seconds. */
  private start = 0;
  private realStart: number;
  /** Jumps made while running, minus the pauses. */
  offset = 0;
  isPaused = false;
  private pausedAt = 0;
  /** Seconds elapsed when it was paused. */
  private frozen = 0;
  /** Jumps made during the pause. */
  private pauseOffset = 0;

  /** @param real seconds of the clock that drives this one */
  constructor(private readonly real: () => number) {
    this.realStart = real();
  }

  time(): number {
    return this.start + this.passed();
  }

  passed(): number {
    // A clock paused before any time has elapsed keeps running, as in the reference (ARE, arXiv 2509.17158), which takes 0 for "not set".
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

/** A clock that only moves when it is set. */
export class ManualClock {
  now = 0;
}

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export const stamp = (seconds: number): string =>
  new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ');
