// What a relay says of its queue, with a queue that does as the test says. On a real server: scripts/tool/sweep-redis.test.mjs.
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { readFromRelay } from '../../experiments/sweep/relay/messages.ts';
import { LiveBoard } from './board.ts';

const ID = 'a'.repeat(32);

function boardWith() {
  const events = new EventEmitter();
  const clock = { now: 0 };
  const state = { counts: { waiting: 3, prioritized: 1, delayed: 1, active: 2 }, active: [] as unknown[] };
  const board = new LiveBoard({
    queue: { getJobCounts: async () => state.counts, getActive: async () => state.active as never },
    events: events as never,
    ledger: { held: 2, liars: 1 },
    desk: { failures: 1 },
    now: () => clock.now,
  });
  return { board, events, clock, state };
}

it('counts what came in, what it took and how long the rest will', async () => {
  const { board, events, clock } = boardWith();
  expect(await board.look()).toMatchObject({ made: 0, spent: 0, perHour: null, left: null });
  for (let i = 0; i < 3; i++) events.emit('completed', { jobId: ID });
  events.emit('completed', { jobId: `check.1.${ID}` });
  events.emit('stalled', { jobId: ID });
  clock.now = 60_000;
  expect(await board.look()).toMatchObject({
    made: 3,
    checks: 1,
    lost: 1,
    retried: 1,
    held: 2,
    liars: 1,
    waiting: 4,
    toCheck: 1,
    atWork: 2,
    // Two workers for a minute; three runs in it, and six that are left.
    spent: 120,
    perHour: 180,
    left: 120,
  });
  // The pace is that of the last ten minutes.
  clock.now = 12 * 60_000;
  expect(await board.look()).toMatchObject({ made: 3, perHour: null, left: null });
});

it('names who is at what, with the try that it is, and what was set apart with its error', async () => {
  const { board, events, state } = boardWith();
  const data = { key: 'none, seed 41', spec: { steps: 4 } };
  state.active = [
    { id: ID, data, progress: { step: 2, worker: 'ann', reward: 0.5 }, attemptsMade: 1 },
    { id: `check.2.${ID}`, data, progress: 0, attemptsMade: 0 },
    { id: ID, data: 'no run', progress: null, attemptsMade: 0 },
  ];
  events.emit('failed', { jobId: ID, failedReason: 'It broke.'.padEnd(9000) });
  await board.look();
  const seen = await board.look();
  expect(seen.workers).toEqual([
    { id: ID, key: data.key, worker: 'ann', step: 2, of: 4, reward: 0.5, attempt: 2 },
    { id: `check.2.${ID}`, key: data.key, worker: null, step: 0, of: 4, reward: null, attempt: 1 },
  ]);
  expect(seen.retried).toBe(2);
  expect(seen.apart).toEqual([{ id: ID, message: expect.stringMatching(/^It broke\. {491}$/) }]);
  const status = { type: 'status', board: seen };
  expect(readFromRelay(JSON.stringify(status))).toEqual(status);
});
