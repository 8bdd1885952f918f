// Seconds per phase of a step by the host's clock, the only part of a run that is not deterministic.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { RolloutWork } from '../../engine/types.ts';
import type { LabEvent, StepTiming } from '../records/events.ts';

type Phase = 'refresh' | 'rollout' | 'grade' | 'score' | 'backward' | 'update' | 'evaluate';
/** Phases of every step; a refresh of the bases precedes some of them. */
const PHASES: readonly Phase[] = ['rollout', 'grade', 'score', 'backward', 'update', 'evaluate'];

export class PhaseClock {
  readonly #now: () => number;
  readonly #runId: string;
  readonly #step: number;
  readonly #start: number;
  readonly #seconds: Record<string, number> = {};
  #phase: Phase | null = null;
  #since: number;
  #work: RolloutWork | null = null;

  /** `now` gives milliseconds. */
  constructor(now: () => number, runId: string, step: number) {
    this.#now = now;
    this.#runId = runId;
    this.#step = step;
    this.#start = now();
    this.#since = this.#start;
  }

  /** Ends the current phase, begins the next one and returns its event. */
  begin(phase: Phase): LabEvent {
    this.#close();
    this.#phase = phase;
    return {
      type: 'phase',
      runId: this.#runId,
      step: this.#step,
      phase,
      done: Math.max(0, PHASES.indexOf(phase)),
      total: PHASES.length,
    };
  }

  /** Called with the work of rollouts of several turns, or with a thinking budget. */
  onWork = (work: RolloutWork): void => {
    this.#work = work;
  };

  timing(rolloutTokens: number): StepTiming {
    this.#close();
    this.#phase = null;
    const rollout = this.#seconds.rollout ?? 0;
    return {
      step: this.#step,
      phases: { ...this.#seconds },
      total: (this.#since - this.#start) / 1000,
      tokensPerSecond: rollout > 0 ? rolloutTokens / rollout : 0,
      ...(this.#work ? { work: this.#work } : {}),
    };
  }

  #close(): void {
    const now = this.#now();
    if (this.#phase) setOwn(this.#seconds, this.#phase, (this.#seconds[this.#phase] ?? 0) + (now - this.#since) / 1000);
    this.#since = now;
  }
}
