// Tests parallel sandboxes: order, timeouts, stopping, and programs per second.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, test } from 'vitest';
import { createNodePool } from './node-pool.node.ts';
import { createPool, type SandboxEvents } from './pool.ts';
import type { Program } from './protocol.ts';
import { runOne } from './testing/run-one.ts';

const printing = (i: number): Program => ({ source: `print(${i})`, steps: [{ do: 'module' }] });
const LOOP: Program = { source: 'while True: pass', steps: [{ do: 'module' }] };
/** Only the clock ends a loop here; on a fast core the work limit would end it earlier. */
const ENDLESS = { work: Number.MAX_SAFE_INTEGER };

describe('the pool', () => {
  test('keeps the order of the programs, across timeouts and workers', async () => {
    const pool = await createNodePool({ workers: 2, timeLimitMs: 400, limits: ENDLESS, equalOnce: false });
    const programs = Array.from({ length: 30 }, (_, i) => (i === 4 || i === 17 ? LOOP : printing(i)));
    const results = await pool.run(programs);
    const said = results.map((result) => result.killed ?? Number(result.stdout));
    expect(said).toEqual(programs.map((program, i) => (program === LOOP ? 'timeout' : i)));
    await pool.close();
  });

  test('stops on the signal, and can be used afterwards', async () => {
    const pool = await createNodePool({ workers: 1, timeLimitMs: 400, limits: ENDLESS, equalOnce: false });
    const stop = new AbortController();
    const run = pool.run([LOOP, ...Array.from({ length: 20 }, (_, i) => printing(i))], stop.signal);
    setTimeout(() => stop.abort(), 30);
    await expect(run).rejects.toBeInstanceOf(StoppedError);
    expect((await runOne(pool, printing(7))).stdout).toBe('7\n');
    await expect(pool.run([printing(1)], AbortSignal.abort())).rejects.toBeInstanceOf(StoppedError);
    await pool.close();
  });

  test('reports that it is closed, or does not start', async () => {
    const pool = await createNodePool({ workers: 1, equalOnce: false });
    const run = pool.run([LOOP]);
    await pool.close();
    await expect(run).rejects.toThrow(/closed while programs ran/);
    await expect(pool.run([LOOP])).rejects.toThrow(/closed/);
    const spawn = (events: SandboxEvents) => {
      setTimeout(() => events.message({ kind: 'failed', message: 'no wasm here' }), 1);
      return { post: () => {}, terminate: () => {} };
    };
    const broken = createPool({ spawn, workers: 1, timeLimitMs: 100 });
    await expect(broken.run([LOOP])).rejects.toThrow(/does not start: no wasm here/);
    await broken.close();
  });

  describe('a late program', () => {
    /** Workers that answer each program at once, unless `late` says that this program never ends on this worker. */
    function fake(late: (program: Program, worker: number) => boolean) {
      const ran: [string, number][] = [];
      let workers = 0;
      const spawn = (events: SandboxEvents) => {
        const worker = workers++;
        let stuck = false;
        setTimeout(() => events.message({ kind: 'ready' }), 1);
        return {
          post: ({ id, program }: { id: number; program: Program }) => {
            if (stuck) return;
            ran.push([program.source, worker]);
            stuck = late(program, worker);
            const result = { killed: null, outcomes: [], stdout: program.source, files: [] };
            if (!stuck) setTimeout(() => events.message({ kind: 'result', id, result }), 1);
          },
          terminate: () => {},
        };
      };
      return { spawn, ran, pool: createPool({ spawn, workers: 1, timeLimitMs: 20 }) };
    }
    const named = (source: string): Program => ({ source, steps: [{ do: 'module' }] });

    test('that is late only once gets its verdict from a new worker', async () => {
      const { pool, ran } = fake(({ source }, worker) => source === 'b' && worker === 0);
      const results = await pool.run(['a', 'b', 'c'].map(named));
      expect(results.map(({ killed, stdout }) => [killed, stdout])).toEqual([
        [null, 'a'],
        [null, 'b'],
        [null, 'c'],
      ]);
      expect(ran).toEqual([
        ['a', 0],
        ['b', 0],
        ['b', 1],
        ['c', 1],
      ]);
      await pool.close();
    });

    test('that is late twice is a timeout, and is not tried again', async () => {
      const { pool, ran } = fake(({ source }) => source === 'b');
      const results = await pool.run(['a', 'b', 'c'].map(named));
      expect(results.map(({ killed }) => killed)).toEqual([null, 'timeout', null]);
      expect(ran.filter(([source]) => source === 'b')).toEqual([
        ['b', 0],
        ['b', 1],
      ]);
      await pool.close();
    });

    test('that waits for its second attempt is rejected when the pool closes, and dropped when its caller aborts', async () => {
      const closing = fake(({ source }) => source === 'b');
      const run = closing.pool.run([named('b')]);
      while (closing.ran.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      await closing.pool.close();
      await expect(run).rejects.toThrow(/closed while programs ran/);

      const stopping = fake(({ source }) => source === 'b');
      const stop = new AbortController();
      const stopped = stopping.pool.run([named('b')], stop.signal);
      stop.abort();
      await expect(stopped).rejects.toBeInstanceOf(StoppedError);
      expect((await runOne(stopping.pool, named('a'))).stdout).toBe('a');
      expect(stopping.ran.filter(([source]) => source === 'b').length).toBeLessThan(2);
      await stopping.pool.close();
    });
  });

  test('a caller that blocks its own thread does not make programs late', async () => {
    const pool = await createNodePool({ workers: 1, timeLimitMs: 200, equalOnce: false });
    await pool.run([printing(0)]);
    const run = pool.run(Array.from({ length: 4 }, (_, i) => printing(i)));
    const until = performance.now() + 700;
    while (performance.now() < until);
    expect((await run).map((result) => result.killed)).toEqual([null, null, null, null]);
    await pool.close();
  });
});
