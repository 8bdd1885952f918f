// Tests apps and tools with a tiny app: a tool is declared once, and argument binding, checks, log, nesting and catalogue follow.
import { describe, expect, it } from 'vitest';
import { AppBase } from './app.ts';
import { catalogueOf } from './catalogue.ts';
import { keyError, PythonError, valueError } from './python-error.ts';
import { toolsOf } from './tool.ts';
import type { Logged, Tool } from './types.ts';
import { Float, type Values } from './value.ts';
import { AppWorld } from './world.ts';

class JarApp extends AppBase {
  private coins: Record<string, number> = {};

  constructor(name?: string) {
    super('JarApp', name);
  }

  get tools(): readonly Tool[] {
    return JAR_TOOLS;
  }

  getState() {
    return { coins: { ...this.coins } };
  }

  loadState(state: Values) {
    this.coins = { ...(state.coins as Record<string, number>) };
  }

  reset() {
    this.coins = {};
  }

  put(id: string, worth: number) {
    this.coins[id] = worth;
  }

  worth(id: string): number {
    const worth = this.coins[id];
    if (worth === undefined) throw keyError(id);
    return worth;
  }
}

const tool = toolsOf<JarApp>();
const JAR_TOOLS = [
  tool({
    name: 'add_coin',
    roles: ['agent', 'env'],
    operation: 'WRITE',
    returns: 'str',
    params: { worth: { type: 'float' }, labels: { type: 'list[str] | None', default: null } },
    about: 'Puts a coin into the jar.',
    run(app, { worth }) {
      if (worth <= 0) throw valueError('A coin is worth something.');
      const id = app.draws.id();
      app.put(id, worth);
      return id;
    },
  }),
  tool({
    name: 'get_coin',
    roles: ['agent'],
    operation: 'READ',
    returns: 'float',
    params: { coin_id: { type: 'str' } },
    about: 'What a coin is worth.',
    run: (app, { coin_id }) => app.worth(coin_id),
  }),
  tool({
    name: 'double_coin',
    roles: ['agent'],
    operation: 'WRITE',
    returns: 'str',
    params: { coin_id: { type: 'str' } },
    about: 'Adds a coin of twice the worth.',
    run: (app, { coin_id }) => {
      const worth = app.call('get_coin', { coin_id }) as number;
      return app.call('add_coin', { worth: new Float(2 * worth) });
    },
  }),
];

function jar(seed = 1) {
  const log: Logged[] = [];
  const app = new JarApp('Jar');
  const world = new AppWorld({ now: () => 100, seed, record: (entry) => void log.push(entry) }).add(app);
  return { app, log, world };
}

const raised = (run: () => unknown): [string, string] => {
  try {
    run();
  } catch (error) {
    if (error instanceof PythonError) return [error.kind, error.message];
    throw error;
  }
  throw new Error('nothing was raised');
};

describe('a tool', () => {
  it('checks its arguments before anything is logged: an int is not a float', () => {
    const { app, log } = jar();
    expect(raised(() => app.call('add_coin', { worth: 5 }))).toEqual([
      'TypeError',
      "Argument 'worth' must be of type <class 'float'>, got <class 'int'>",
    ]);
    expect(raised(() => app.call('add_coin', { worth: 1.5, labels: ['a', 2] }))[1]).toBe(
      "Argument 'labels' must be of type list[str] | None, got <class 'list'>",
    );
    expect(raised(() => app.call('add_coin'))[0]).toBe('TypeError');
    expect(raised(() => app.call('add_coin', { worth: 1.5, colour: 'red' }))[0]).toBe('TypeError');
    expect(log).toEqual([]);
    expect(app.call('add_coin', { worth: new Float(5) })).toMatch(/^[0-9a-f]{32}$/);
    expect(Object.values((app.getState() as { coins: Record<string, number> }).coins)).toEqual([5]);
  });

  it('is logged with bound arguments, even if it raises', () => {
    const { app, log } = jar();
    app.call('add_coin', { worth: 0.5 });
    raised(() => app.call('get_coin', { coin_id: "it's" }));
    expect(log.map(({ eventId, time, args }) => [eventId.replace(/\w{32}/, 'ID'), time, args])).toEqual([
      ['AGENT-Jar.add_coin-ID', 100, { worth: 0.5, labels: null }],
      ['AGENT-Jar.get_coin-ID', 100, { coin_id: "it's" }],
    ]);
    const { outcome } = log[1] as Logged;
    expect('error' in outcome && [outcome.error.kind, outcome.error.message]).toEqual(['KeyError', '"it\'s"']);
  });

  it('logs calls that it makes before itself, and none if they are quiet', () => {
    const { app, log, world } = jar();
    const id = app.call('add_coin', { worth: 0.5 }) as string;
    app.call('double_coin', { coin_id: id });
    expect(log.map(({ tool: { name } }) => name)).toEqual(['add_coin', 'get_coin', 'add_coin', 'double_coin']);
    world.quietly(() => app.call('double_coin', { coin_id: id }));
    expect(log).toHaveLength(4);
  });

  it('draws the same ids from the same seed, and others from another', () => {
    const id = (seed: number) => jar(seed).app.call('add_coin', { worth: 0.5 });
    expect(id(1)).toBe(id(1));
    expect(id(1)).not.toBe(id(2));
  });

  it('is in the catalogue under each of its roles', () => {
    const { agent, env, user } = catalogueOf(jar().app);
    expect(agent.map(({ name, write }) => [name, write])).toEqual([
      ['Jar__add_coin', true],
      ['Jar__get_coin', false],
      ['Jar__double_coin', true],
    ]);
    expect(env[0]?.args).toEqual([
      { name: 'worth', type: 'float', has_default: false, default: null },
      { name: 'labels', type: 'list[str] | None', has_default: true, default: null },
    ]);
    expect([env.length, user.length]).toEqual([1, 0]);
  });
});
