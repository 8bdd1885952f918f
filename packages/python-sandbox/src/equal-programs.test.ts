// Tests that equal programs run once, and every caller gets the result.
import { expect, it } from 'vitest';
import { runningEqualOnce } from './equal-programs.ts';
import { createPool, type SandboxEvents } from './pool.ts';
import type { Program, RunResult } from './protocol.ts';

const program = (source: string, code = '__out__ = 1', setup?: string): Program => ({
  ...(setup === undefined ? {} : { setup }),
  source,
  steps: [{ do: 'module' }, { do: 'value', code }],
});

it('compares setup, source and steps; results have the order of the programs', async () => {
  const ran: string[] = [];
  const pool = runningEqualOnce({
    run: async (programs) =>
      programs.map(({ source, steps, setup }): RunResult => {
        const codes = steps.flatMap((step) => (step.do === 'value' ? [step.code] : []));
        const stdout = [setup, source, ...codes].join('|');
        ran.push(stdout);
        return { killed: null, outcomes: [], stdout, files: [] };
      }),
    close: async () => {},
  });
  const programs = [
    program('a'),
    program('b'),
    program('a'),
    program('a', '__out__ = 2'),
    program('a', '__out__ = 1', 's'),
  ];
  const results = await pool.run(programs);
  expect(results.map(({ stdout }) => stdout)).toEqual([
    '|a|__out__ = 1',
    '|b|__out__ = 1',
    '|a|__out__ = 1',
    '|a|__out__ = 2',
    's|a|__out__ = 1',
  ]);
  expect(ran.length).toBe(4);
  const againAndOther = await pool.run([program('a'), program('c')]);
  expect(againAndOther.map(({ stdout }) => stdout)).toEqual(['|a|__out__ = 1', '|c|__out__ = 1']);
  expect(ran.length).toBe(5);
});

it('limits stored results, drops the least recently used first, and stores no timeouts', async () => {
  const ran: string[] = [];
  const pool = runningEqualOnce(
    {
      run: async (programs) =>
        programs.map(({ source }): RunResult => {
          ran.push(source);
          return { killed: source === 'late' ? 'timeout' : null, outcomes: [], stdout: source.repeat(100), files: [] };
        }),
      close: async () => {},
    },
    600,
  );
  for (const source of ['a', 'b', 'a', 'c', 'a', 'b', 'late', 'late']) await pool.run([program(source)]);
  // The cache holds two: c evicted b, since a was used more recently.
  expect(ran).toEqual(['a', 'b', 'c', 'b', 'late', 'late']);
});

it('a pool without second attempts stops a late program at once, and gives a worker at most `prefetch` programs', async () => {
  const tables: number[] = [];
  let waiting = 0;
  const spawn = (events: SandboxEvents) => {
    setTimeout(() => events.message({ kind: 'ready' }), 1);
    return {
      post({ id, program: { source } }: { id: number; program: Program }) {
        waiting += 1;
        tables.push(waiting);
        if (source === 'late') return;
        setTimeout(() => {
          waiting -= 1;
          events.message({ kind: 'result', id, result: { killed: null, outcomes: [], stdout: source, files: [] } });
        }, 1);
      },
      terminate: () => {
        waiting = 0;
      },
    };
  };
  const pool = createPool({ spawn, workers: 1, timeLimitMs: 30, prefetch: 2, secondChance: false, equalOnce: true });
  const results = await pool.run(['a', 'late', 'b', 'a', 'c'].map((source) => program(source)));
  expect(results.map(({ killed, stdout }) => killed ?? stdout)).toEqual(['a', 'timeout', 'b', 'a', 'c']);
  expect(Math.max(...tables)).toBe(2);
  await pool.close();
});
