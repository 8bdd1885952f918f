// Tests that hold for every app and tool: the same seed gives the same bytes, and any input gives a result or a PythonError. Calls and
// states are drawn at random with a fixed seed.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { describe, expect, it } from 'vitest';
import { PythonError } from '../python-error.ts';
import type { Tool } from '../types.ts';
import { type Arg, Float, type Value, type Values } from '../value.ts';
import { APP_CLASSES, IMPORTABLE_CLASSES } from './registry.ts';
import { Phone } from './testing/phone.ts';

const TEXTS = ['', 'a', 'Ana Ruiz', 'a@x.org', '2024-10-15 09:00:00', 'INBOX', 'Default', 'Downloads/', '../..', '('];
const NUMBERS = [0, 1, 2, -1, 7, 1e9];

/** Counter-based random numbers, so that every test run draws the same. */
class Draws {
  readonly #seed: number;
  #drawn = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  uniform(): number {
    let bits = hash32(`${this.#seed} ${this.#drawn++}`);
    // The final steps of murmur3, since neighbouring counters differ only in the last character.
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
  }

  int(below: number): number {
    return Math.floor(this.uniform() * below);
  }

  choice<T>(items: readonly T[]): T {
    return items[this.int(items.length)] as T;
  }
}

class Monkey {
  readonly rng: Draws;
  /** Texts that an app's tools have returned, such as ids. */
  private readonly seen = new Map<string, string[]>();
  private app = '';

  constructor(seed: number) {
    this.rng = new Draws(seed);
  }

  pick<T>(items: readonly T[]): T {
    return this.rng.choice(items);
  }

  keep(app: string, result: Value): void {
    if (typeof result !== 'string' || result.length > 40) return;
    this.seen.set(app, [...(this.seen.get(app) ?? []).slice(-20), result]);
  }

  text(): string {
    const seen = this.seen.get(this.app) ?? [];
    return seen.length > 0 && this.rng.uniform() < 0.7 ? this.pick(seen) : this.pick(TEXTS);
  }

  fitting(type: string): Arg {
    if (type.includes('None') && this.rng.uniform() < 0.3) return null;
    if (type.startsWith('list[str]')) return Array.from({ length: this.rng.int(3) }, () => this.text());
    if (type.startsWith('list')) return [];
    if (type.startsWith('dict[str, float]')) return { TEN: new Float(10) };
    if (type.startsWith('dict')) return { [this.pick(['age', 'job', 'color'])]: this.anything() };
    if (type.startsWith('bool')) return this.rng.uniform() < 0.5;
    if (type.startsWith('float')) return new Float(this.pick(NUMBERS));
    if (type.startsWith('int')) return this.pick(NUMBERS);
    return this.text();
  }

  anything(): Value {
    return this.pick<() => Value>([
      () => null,
      () => true,
      () => this.pick(NUMBERS),
      () => this.text(),
      () => [this.text()],
      () => ({ [this.text()]: this.pick(NUMBERS) }),
    ])();
  }

  args(app: string, tool: Tool): Record<string, Arg> {
    this.app = app;
    const isGiven = (hasDefault: boolean) => this.rng.uniform() < (hasDefault ? 0.5 : 0.97);
    const given = tool.params.filter((param) => !param.takesRest && isGiven(param.default !== undefined));
    return Object.fromEntries(
      given.map(({ name, type }) => [name, this.rng.uniform() < 0.9 ? this.fitting(type) : this.anything()]),
    );
  }

  /** A value with one place changed or removed. */
  mutated(value: Value): Value {
    if (value === null || typeof value !== 'object' || this.rng.uniform() < 0.1) return this.anything();
    const keys = Object.keys(value);
    if (keys.length === 0) return this.anything();
    const key = this.pick(keys);
    const inner = this.mutated((value as Values)[key] as Value);
    if (Array.isArray(value)) return value.map((item, i) => (String(i) === key ? inner : item));
    const entries = Object.entries(value).map(([name, item]) => [name, name === key ? inner : item]);
    return Object.fromEntries(this.rng.uniform() < 0.2 ? entries.filter(([name]) => name !== key) : entries);
  }
}

/** Classes that differ only by name are tested once. */
const OTHER_NAMES = [
  'Calendar',
  'Contacts',
  'InternalContacts',
  'Mail',
  'RentAFlat',
  'Shopping',
  'Files',
  'VirtualFileSystem',
];
const CLASSES = Object.keys(APP_CLASSES).filter((name) => !OTHER_NAMES.includes(name));

function phoneOf(seed: number): Phone {
  const phone = new Phone(seed, ...CLASSES.map((name) => APP_CLASSES[name]!()));
  const people = { Me: 'u', 'Ana Ruiz': 'a', 'Bo Li': 'b' };
  const messenger = phone.app('MessagingAppV2');
  messenger.loadState({
    ...(messenger.getState() as Values),
    name_to_id: people,
    id_to_name: Object.fromEntries(Object.entries(people).map(([name, id]) => [id, name])),
    current_user_id: 'u',
    current_user_name: 'Me',
  });
  return phone;
}

/** Calls tools at random; every error must be a PythonError. Returns the calls that succeeded. */
function play(phone: Phone, monkey: Monkey, calls: number, isIncluded = (_: Tool) => true): Map<string, number> {
  const tools = phone.world.apps.flatMap((app) => app.tools.filter(isIncluded).map((tool) => ({ app, tool })));
  const succeeded = new Map<string, number>();
  for (let i = 0; i < calls; i++) {
    const { app, tool } = monkey.pick(tools);
    phone.now += monkey.rng.int(100);
    try {
      const result = app.call(tool.name, monkey.args(app.name, tool));
      monkey.keep(app.name, result);
      const key = `${app.className}.${tool.name}`;
      succeeded.set(key, (succeeded.get(key) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof PythonError))
        throw new Error(`${app.name}.${tool.name}: ${String(error)}`, { cause: error });
    }
  }
  return succeeded;
}

describe('all apps', () => {
  const bytes = (seed: number, calls: number) => {
    const phone = phoneOf(seed);
    play(phone, new Monkey(calls), calls);
    return JSON.stringify([phone.world.apps.map((app) => app.getState()), phone.log.map(({ app, ...rest }) => rest)]);
  };

  it('do the same, byte by byte, for the same seed and calls', () => {
    expect(bytes(1, 1000)).toBe(bytes(1, 1000));
    expect(bytes(1, 1000)).not.toBe(bytes(2, 1000));
  });

  it('raise only PythonErrors, and at least four of five tools sometimes succeed', () => {
    const phone = phoneOf(3);
    const succeeded = play(phone, new Monkey(3), 8000);
    const tools = phone.world.apps.flatMap((app) => app.tools.map((tool) => `${app.className}.${tool.name}`));
    const never = tools.filter((tool) => !succeeded.has(tool));
    expect(never.length).toBeLessThan(tools.length / 5);
  });

  it('load the state that they saved', () => {
    const phone = phoneOf(4);
    // A flat that was saved and then taken off the market cannot be loaded, as in the reference.
    play(phone, new Monkey(4), 2000, ({ name }) => name !== 'delete_apartment');
    for (const app of phone.world.apps) {
      const state = app.getState();
      if (state === null || app.className === 'AgentUserInterface') continue;
      const throughFile = (saved: Values) => {
        const again = APP_CLASSES[app.className]!();
        again.loadState(JSON.parse(JSON.stringify(saved)) as Values);
        return again.getState() as Values;
      };
      // A bool that a tool accepted as an int becomes an int after the first reload.
      const once = throughFile(state);
      expect(Object.keys(once)).toEqual(Object.keys(state));
      expect(throughFile(once)).toEqual(once);
    }
  });

  it('accept a corrupted state or refuse it with a PythonError, and then continue', () => {
    const phone = phoneOf(5);
    const monkey = new Monkey(5);
    play(phone, monkey, 1000);
    const counts = { taken: 0, refused: 0 };
    for (const app of phone.world.apps) {
      const state = app.getState();
      if (state === null) continue;
      for (let i = 0; i < 40; i++) {
        const broken = APP_CLASSES[app.className]!();
        const alone = new Phone(i, broken);
        try {
          broken.loadState(monkey.mutated(state) as Values);
          counts.taken++;
        } catch (error) {
          if (!(error instanceof PythonError)) throw new Error(`${app.name}: ${String(error)}`, { cause: error });
          counts.refused++;
        }
        play(alone, monkey, 30);
      }
    }
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(50);
  });
});

it('the benchmark’s phone has 101 tools for the agent; four further ones are withheld', () => {
  const phone = [
    'AgentUserInterface',
    'SystemApp',
    'Calendar',
    'Contacts',
    'EmailClientV2',
    'MessagingAppV2',
    'MessagingAppV2',
    'RentAFlat',
    'Shopping',
    'CabApp',
    'CityApp',
    'Files',
  ];
  const tools = phone.flatMap((name) =>
    IMPORTABLE_CLASSES[name]!().tools.filter(({ roles }) => roles.includes('agent')),
  );
  expect(tools).toHaveLength(101 + 4);
  expect(Object.keys(IMPORTABLE_CLASSES)).toHaveLength(20);
});
