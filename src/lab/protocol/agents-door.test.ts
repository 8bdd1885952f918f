// Tests messages between the page and the worker of agents' scenarios: a malformed or too large one is refused with a named error and has
// no effect.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { expect, it } from 'vitest';
import type { AgentQuestion, Recipe } from './agents.ts';
import { CALLS, guarded, HOST_CALLS } from './agents-door.ts';

const RECIPE: Recipe = {
  agent: 'react',
  seed: 0,
  noise: 'none',
  window: 'usual',
  maxSteps: 80,
  temperature: 0.5,
  a2a: 0,
  mcp: null,
  edits: [{ at: 1, app: 'Emails', tool: 'send', args: '{}', thought: '' }],
  known: { acts: [null, { app: 'Emails', tool: 'send', args: '{}', thought: '' }], goesOn: true },
};
const which = { split: 'time', seed: 1, index: 2, isSmall: false, part: 'composed' };
const ASKED: AgentQuestion = {
  act: 0,
  agent: 'react',
  ask: [{ role: 'user', content: 'x' }],
  stops: [],
  seed: 0,
  temperature: 0,
  maxNew: 9,
};

it('accepts each valid message', () => {
  expect(CALLS.load.safeParse({ source: { kind: 'generated', which }, window: 'paper' }).success).toBe(true);
  expect(CALLS.load.safeParse({ source: { kind: 'file', text: '{', name: 'a.json' }, window: 'usual' }).success).toBe(
    true,
  );
  expect(CALLS.load.safeParse({ source: { kind: 'trace', trace: {}, name: 'a' }, window: 'usual' }).success).toBe(true);
  expect(CALLS.play.safeParse({ recipe: RECIPE }).success).toBe(true);
  expect(CALLS.look.safeParse({ place: 0 }).success).toBe(true);
  expect(HOST_CALLS.write.safeParse(ASKED).success).toBe(true);
  expect(HOST_CALLS.write.safeParse({ ...ASKED, ask: 'go on' }).success).toBe(true);
  expect(
    HOST_CALLS.entries.safeParse({ from: 3, entries: [{ kind: 'end', time: 1, reason: 'stopped' }] }).success,
  ).toBe(true);
});

it.each([
  ['load.source.kind', 'load', { source: { kind: 'elsewhere', url: 'http://x' }, window: 'usual' }],
  [
    'load.source.which.seed',
    'load',
    { source: { kind: 'generated', which: { ...which, seed: 1e9 } }, window: 'usual' },
  ],
  [
    'load.source.which.split',
    'load',
    { source: { kind: 'generated', which: { ...which, split: 'x' } }, window: 'usual' },
  ],
  ['load.source.name', 'load', { source: { kind: 'file', text: '', name: 'n'.repeat(20_000) }, window: 'usual' }],
  ['load.source.text', 'load', { source: { kind: 'file', text: ' '.repeat(64_000_001), name: 'n' }, window: 'usual' }],
  ['load.window', 'load', { source: { kind: 'generated', which }, window: 'toString' }],
  ['play.recipe.agent', 'play', { recipe: { ...RECIPE, agent: 'somebody' } }],
  ['play.recipe.maxSteps', 'play', { recipe: { ...RECIPE, maxSteps: 10_001 } }],
  ['play.recipe.temperature', 'play', { recipe: { ...RECIPE, temperature: Number.NaN } }],
  [
    'play.recipe.edits.0.args',
    'play',
    { recipe: { ...RECIPE, edits: [{ ...RECIPE.edits[0], args: 'x'.repeat(1_000_001) }] } },
  ],
  ['play.recipe.edits', 'play', { recipe: { ...RECIPE, edits: Array(1001).fill(RECIPE.edits[0]) } }],
  [
    'play.recipe.known.acts',
    'play',
    { recipe: { ...RECIPE, known: { acts: Array(20_001).fill(null), goesOn: false } } },
  ],
  ['play.recipe', 'play', { recipe: { ...RECIPE, server: 'http://x' } }],
  ['look.place', 'look', { place: -1 }],
  ['look', 'look', null],
  ['exported', 'exported', {}],
] as const)('refuses %s', (place, kind, params) => {
  const run: string[] = [];
  const methods = Object.fromEntries(Object.keys(CALLS).map((name) => [name, async () => run.push(name)]));
  const found = guarded(CALLS, methods as never)[kind];
  const raised = (() => {
    try {
      return found?.(params);
    } catch (error) {
      return error;
    }
  })();
  expect(raised).toBeInstanceOf(FormatError);
  expect((raised as Error).message).toContain(`The message ${place} is invalid`);
  expect(run).toEqual([]);
});

it('refuses calls that a worker may not make', () => {
  const refused = (name: keyof typeof HOST_CALLS, params: unknown) =>
    HOST_CALLS[name].safeParse(params).success === false;
  expect(refused('write', { ...ASKED, maxNew: 1e9 })).toBe(true);
  expect(refused('write', { ...ASKED, ask: [] })).toBe(true);
  expect(refused('write', { ...ASKED, ask: 'x'.repeat(16_000_001) })).toBe(true);
  expect(refused('write', { ...ASKED, ask: [{ role: 'tool', content: '' }] })).toBe(true);
  expect(refused('write', { ...ASKED, server: { base: 'http://x' } })).toBe(true);
  expect(refused('ready', { agent: 'oracle' })).toBe(true);
  expect(refused('entries', { from: -1, entries: [] })).toBe(true);
  expect(refused('entries', { from: 0, entries: [{ kind: 'script', time: 0 }] })).toBe(true);
});
