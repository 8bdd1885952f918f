// The environment: apps, clock, queue, log and inbox, driven step by step. It has no thread and no sleep: a host calls `step` at any rate,
// an agent calls apps between steps, and the same calls give the same bytes. After the event loop of ARE (arXiv 2509.17158).
import { atOnce, type Parts } from '@projected-grpo-lab/base/parts.ts';
import { Clock, ManualClock } from './clock.ts';
import { ScenarioError } from './errors.ts';
import { type CompletedEvent, EventLog } from './events/completed.ts';
import { nextCheck, nextValidation, schedule } from './events/graph.ts';
import { EventQueue } from './events/queue.ts';
import { type ActionHost, completedCall, oracleAction, runAction } from './events/run-action.ts';
import type { ConditionEvent, OracleEvent, ScenarioEvent, ValidationEvent } from './events/types.ts';
import { Inbox } from './notifications/inbox.ts';
import type { Verbosity } from './notifications/notified.ts';
import { PendingAnswer } from './pending.ts';
import type { App, Draws } from './types.ts';
import { type AgentValidator, ValidationFailure, validateEvent } from './validation.ts';
import { waitForNotification } from './wait.ts';
import { AppWorld } from './world.ts';

export type EnvironmentState = 'SETUP' | 'RUNNING' | 'PAUSED' | 'STOPPED' | 'FAILED';

export interface EnvironmentOptions {
  /** Simulated seconds since 1970. */
  start?: number;
  /** Simulated seconds; null: unlimited. */
  duration?: number | null;
  /** Whole simulated seconds per tick, at least 1. */
  increment?: number;
  /** Whether the oracle's events are played. */
  isOracle?: boolean;
  seed?: number;
  verbosity?: Verbosity;
  /** Replaces the seeded ids and random numbers. */
  draws?(key: string): Draws;
}

/** Most events in one tick, which a cycle of events without delays would never end. */
const MAX_EVENTS_A_TICK = 2_000_000;

export class Environment implements ActionHost {
  readonly real = new ManualClock();
  readonly clock = new Clock(() => this.real.now);
  readonly queue = new EventQueue();
  readonly log = new EventLog();
  readonly inbox: Inbox;
  readonly world: AppWorld;
  readonly start: number;
  readonly isOracle: boolean;
  readonly duration: number | null;
  readonly increment: number;
  state: EnvironmentState = 'SETUP';
  ticks = 0;
  /** Internal faults for the user: a key that a placeholder lacks, a condition that timed out. */
  readonly notes: string[] = [];
  /** Until when, and for how long, the agent waits for a notification; null if it does not. */
  waiting: { seconds: number; until: number } | null = null;
  heldUntil: number | null = null;
  readonly validators: AgentValidator[] = [];
  private readonly scheduled: ScenarioEvent[] = [];
  private tickTime: number;
  /** Whether a tick, and the resume after it, wait for an answer: the next call continues where they stopped. */
  private isTickHeld = false;
  private isResumeHeld = false;
  private isStopped = false;
  private hasEnded = false;

  constructor(options: EnvironmentOptions = {}) {
    this.start = options.start ?? 0;
    this.duration = options.duration === undefined ? 60 : options.duration;
    this.increment = options.increment ?? 1;
    this.isOracle = options.isOracle ?? false;
    if (!(this.increment >= 1)) throw new RangeError('A tick is at least one second.');
    this.inbox = new Inbox(options.verbosity ?? 'MEDIUM');
    this.clock.reset(this.start);
    this.tickTime = this.start;
    this.world = new AppWorld({
      now: () => this.clock.time(),
      seed: options.seed ?? 0,
      // Logs a call by agent, user or environment that is made outside the queue.
      record: (logged) => this.put(completedCall(logged)),
      wait: (seconds) => waitForNotification(this, seconds),
      ...(options.draws && { draws: options.draws }),
    });
  }

  register(apps: readonly App[]): this {
    this.world.add(...apps);
    return this;
  }

  schedule(events: readonly ScenarioEvent[]): this {
    this.scheduled.push(...events);
    return this;
  }

  get apps(): readonly App[] {
    return this.world.apps;
  }

  get isOver(): boolean {
    return this.isStopped || this.state === 'STOPPED' || this.state === 'FAILED';
  }

  get isTimeUp(): boolean {
    return this.duration !== null && this.clock.passed() > this.duration;
  }

  get end(): number {
    return this.duration === null ? Number.POSITIVE_INFINITY : this.start + this.duration + this.increment;
  }

  now(): number {
    return this.clock.time();
  }

  /** Queues the events without dependencies. */
  begin(): void {
    this.state = 'RUNNING';
    for (const event of this.scheduled) {
      if (event.dependencies.length > 0) continue;
      schedule(event, this.start);
      this.queue.put(event);
    }
  }

  /** Runs one tick and advances the clock by the tick's length. False once the run is over. */
  step(): boolean {
    if (this.isOver || this.isTimeUp) {
      this.finish();
      return false;
    }
    if (this.state === 'PAUSED') return true;
    this.tick();
    this.real.now += 1;
    this.clock.addOffset(this.increment - 1);
    this.ticks++;
    return true;
  }

  /** Plays all events in order of time until none is left or the time is up, as an oracle does. */
  runQueue(): void {
    atOnce(this.queueParts());
  }

  *queueParts(): Parts<void> {
    while (this.queue.size > 0 && !this.isOver) {
      const next = this.queue.peek()?.time as number;
      this.ticks = Math.ceil((next - this.start) / this.increment);
      this.clock.addOffset(next - this.tickTime);
      if (this.isTimeUp) break;
      this.tick();
      yield;
    }
    this.finish();
  }

  tick(): void {
    if (!this.isTickHeld) {
      this.tickTime = this.clock.time();
      for (const validator of this.validators) validator.ticks = this.ticks - validator.from;
      this.pollApps();
    }
    this.isTickHeld = false;
    let left = MAX_EVENTS_A_TICK;
    for (let due = this.queue.take(this.tickTime); due.length > 0; due = this.queue.take(this.tickTime)) {
      for (const [place, event] of due.entries()) {
        if (--left < 0)
          throw new ScenarioError('events', 'a tick does not end, since its events go on without any delay');
        if (!this.processed(event, due.slice(place + 1))) return;
      }
    }
    this.tellTimeout();
  }

  pause(): void {
    if (this.state !== 'RUNNING') return;
    this.clock.pause();
    this.state = 'PAUSED';
  }

  /** @param seconds duration of the pause: the time that a model took */
  resume(seconds?: number): void {
    if (this.state === 'PAUSED') {
      if (seconds !== undefined) this.clock.addOffset(seconds);
      this.clock.resume();
      this.state = 'RUNNING';
      this.isResumeHeld = seconds !== undefined;
    }
    if (!this.isResumeHeld) return;
    this.tick();
    this.isResumeHeld = false;
  }

  stop(state: EnvironmentState = 'STOPPED'): void {
    this.isStopped = true;
    this.state = state;
    this.tellStop();
  }

  /** Ends the loop: milestones that were not met make it fail. */
  private finish(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const isUnmet =
      this.validators.some(({ milestones }) => milestones.length > 0) ||
      this.queue.list().some(({ kind }) => kind === 'validation');
    if (isUnmet) this.state = 'FAILED';
    if (this.state !== 'FAILED') this.state = 'STOPPED';
    this.tellStop();
  }

  private tellStop(): void {
    this.inbox.put('ENVIRONMENT_STOP', `Environment stopped with state EnvironmentState.${this.state}`, this.now());
  }

  private pollApps(): void {
    for (const app of this.apps) {
      const text = app.poll();
      if (text !== null) this.inbox.put('ENVIRONMENT_NOTIFICATION', text, this.now());
    }
  }

  /** Notifies the agent of a wait's timeout, unless there is another notification. */
  private tellTimeout(): void {
    if (this.waiting === null) return;
    const now = this.now();
    const { seconds, until } = this.waiting;
    if (this.inbox.hasNew(now)) this.waiting = null;
    else if (now >= until) {
      const name = this.apps.find(({ className }) => className === 'SystemApp')?.name ?? 'SystemApp';
      const text = `${name}: Wait for notification timeout reached after ${seconds} seconds`;
      this.inbox.put('ENVIRONMENT_NOTIFICATION', text, now);
      this.waiting = null;
    }
  }

  /** False if the environment has failed and the tick ends. */
  private processed(event: ScenarioEvent, rest: readonly ScenarioEvent[]): boolean {
    try {
      for (const successor of this.process(event)) this.queue.put(successor);
      return true;
    } catch (error) {
      if (error instanceof PendingAnswer) {
        for (const left of [event, ...rest]) this.queue.putBack(left);
        this.isTickHeld = true;
      }
      if (!(error instanceof ValidationFailure)) throw error;
      this.notes.push(error.message);
      this.stop('FAILED');
      return false;
    }
  }

  private process(event: ScenarioEvent): readonly ScenarioEvent[] {
    switch (event.kind) {
      case 'stop':
        this.stop();
        return [];
      case 'oracle':
        return this.isOracle ? this.playOracle(event) : [];
      case 'action':
        this.put(runAction(this, event));
        return this.dueAfter(event);
      case 'condition':
        return this.ask(event);
      case 'validation':
        return this.validate(event);
    }
  }

  private playOracle(event: OracleEvent): readonly ScenarioEvent[] {
    this.put(runAction(this, oracleAction(this, event)));
    return this.dueAfter(event);
  }

  private ask(event: ConditionEvent): readonly ScenarioEvent[] {
    const holds = event.predicate(this);
    event.checks++;
    this.put({ type: 'CONDITION', id: event.id, time: event.time as number, action: null, value: holds, error: null });
    if (holds) return this.dueAfter(event);
    const isTimeUp = event.timeout !== null && event.checks * event.everyTicks > event.timeout;
    if (!isTimeUp) return [nextCheck(event, this.increment)];
    this.notes.push(`${event.id} timed out after ${event.timeout} ticks; what waits for it never fires.`);
    return [];
  }

  private validate(event: ValidationEvent): readonly ScenarioEvent[] {
    const { completed, goesOn } = validateEvent(event);
    this.put(completed);
    return goesOn ? [nextValidation(event, this.increment)] : [];
  }

  private dueAfter(event: ScenarioEvent): ScenarioEvent[] {
    return event.successors.filter((successor) => schedule(successor, Math.trunc(this.start)));
  }

  private put(event: CompletedEvent): void {
    this.log.put(event);
    if (event.type === 'AGENT') {
      try {
        for (const validator of this.validators) validator.check(event);
      } catch (error) {
        if (!(error instanceof ValidationFailure)) throw error;
        this.notes.push(error.message);
        this.stop('FAILED');
        return;
      }
    }
    this.inbox.tell(event, this.now());
  }
}
