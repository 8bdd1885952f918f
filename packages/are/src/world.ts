// The world of apps: the simulated clock, ids and random numbers, each other, and the log of calls. The environment builds on it; a test
// may use it alone.
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { PendingAnswer } from './pending.ts';
import { pythonErrorOf } from './python-error.ts';
import type { App, Call, Draws, Logged, Protocol, Protocols, World } from './types.ts';
import type { Value } from './value.ts';

interface WorldOptions {
  /** Simulated seconds since 1970. */
  now(): number;
  seed: number;
  /** Replaces the seeded draws: recorded runs count ids and draw the middle. */
  draws?(key: string): Draws;
  record?(logged: Logged): void;
  /** Carries out `wait_for_notification`; absent without an environment. */
  wait?(seconds: number): void;
}

export class AppWorld implements World {
  readonly apps: App[] = [];
  private readonly options: WorldOptions;
  private readonly ids: Draws;
  private quiet = 0;
  /** A call with a pending answer: when it is repeated, it is logged with its original id and time. */
  private held: { of: string; eventId: string; time: number } | null = null;

  constructor(options: WorldOptions) {
    this.options = options;
    this.ids = this.draws('');
  }

  now(): number {
    return this.options.now();
  }

  draws(key: string): Draws {
    return this.options.draws?.(key) ?? seededDraws(this.options.seed, key);
  }

  /** Adds apps and connects them; names are unique. */
  add(...apps: readonly App[]): this {
    for (const app of apps) {
      app.attach(this);
      this.apps.push(app);
    }
    for (const app of this.apps) app.connect();
    return this;
  }

  app(name: string): App | undefined {
    return this.apps.find((app) => app.name === name);
  }

  find<P extends Protocol>(protocol: P): Protocols[P] | undefined {
    return this.apps.find((app) => app.provides.includes(protocol)) as (App & Protocols[P]) | undefined;
  }

  id(): string {
    return this.ids.id();
  }

  wait(seconds: number): void {
    this.options.wait?.(seconds);
  }

  logged(call: Call, run: () => Value): Value {
    if (this.quiet > 0) return run();
    const of = `${call.app.name}.${call.tool.name}`;
    const begun = this.held?.of === of ? this.held : null;
    this.held = null;
    const { eventId, time } = begun ?? { eventId: `${call.tool.logsAs}-${of}-${this.id()}`, time: this.now() };
    const record = (outcome: Logged['outcome']) => this.options.record?.({ ...call, eventId, time, outcome });
    try {
      const value = run();
      record({ value });
      return value;
    } catch (error) {
      if (error instanceof PendingAnswer) this.held = { of, eventId, time };
      const raised = pythonErrorOf(error);
      if (raised === null) throw error;
      record({ error: raised });
      throw raised;
    }
  }

  quietly<T>(run: () => T): T {
    this.quiet++;
    try {
      return run();
    } finally {
      this.quiet--;
    }
  }
}

/** Mulberry32 with a key. */
export function seededDraws(seed: number, key: string): Draws {
  let state = hash32(`${seed}_${key}`);
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const random = () => next() / 2 ** 32;
  return {
    id: () => Array.from({ length: 4 }, () => next().toString(16).padStart(8, '0')).join(''),
    random,
    uniform: (from, to) => from + (to - from) * random(),
    randint: (from, to) => from + Math.floor(random() * (to - from + 1)),
  };
}
