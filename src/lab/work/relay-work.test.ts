// A page that works for a relay, with a relay that does as the test says.
import { describe, expect, it } from 'vitest';
import { parseExperimentSpec, resolveRun } from '../../experiments/config/spec.ts';
import { runKey } from '../../experiments/kinds/study/key.ts';
import { studyId } from '../../experiments/kinds/study/runner.ts';
import type { Board, FromRelay, FromWorker } from '../../experiments/sweep/relay/messages.ts';
import { recordOf } from '../../experiments/testing/study-runs.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import type { RelayState } from '../protocol/relay.ts';
import { RelayWork, type Socket } from './relay-work.ts';

const spec = resolveRun(
  parseExperimentSpec({
    preset: 'smoke',
    arms: ['none'],
    seeds: [41],
    overrides: { environment: 'arithmetic' },
    device: 'cpu',
  }),
  'none',
  41,
);
const RUN: FromRelay = { type: 'run', id: 'a'.repeat(32), key: runKey(spec), spec, device: 'cpu', lease: 60 };
const BOARD: Board = {
  workers: [{ id: 'a'.repeat(32), key: 'k', worker: 'ann', step: 1, of: 3, reward: 0.5, attempt: 1 }],
  atWork: 1,
  waiting: 2,
  toCheck: 0,
  held: 0,
  made: 3,
  checks: 1,
  retried: 0,
  lost: 0,
  liars: 0,
  apart: [],
  spent: 12,
  perHour: 60,
  left: 180,
};
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
/** Something has happened, and then nothing for a while. */
async function settled(count: () => number): Promise<void> {
  const before = count();
  for (let tries = 0; count() === before && tries < 100; tries++) await turn();
  for (let last = -1; last !== count(); ) {
    last = count();
    for (let calm = 0; calm < 10; calm++) await turn();
  }
}

async function page(isWatching = false) {
  const experimentId = await studyId(runKey(spec));
  const heard: FromWorker[] = [];
  const states: RelayState[] = [];
  const asked: string[] = [];
  const timers: (() => void)[] = [];
  const sockets: Socket[] = [];
  const work = new RelayWork(
    { relay: 'ws://relay.example/', token: 't'.repeat(43) },
    {
      session: {
        start: async (id) => void asked.push(`start ${id}`) as never,
        resume: async (id) => void asked.push(`resume ${id}`) as never,
        stop: async (id) => asked.push(`stop ${id}`) > 0,
        delete: async (id) => void asked.push(`delete ${id}`),
      },
      records: {
        has: async () => false,
        experiment: async () => ({ status: 'done' }) as never,
        run: async () => recordOf(spec),
      },
      appVersion: '1',
      devices: ['cpu'] as const,
      isWatching,
      connect() {
        const socket: Socket = {
          send: (text) => void heard.push(JSON.parse(text)),
          close: () => {},
          onopen: null,
          onmessage: null,
          onclose: null,
        };
        sockets.push(socket);
        return socket;
      },
      wait(_, then) {
        timers.push(then);
        return () => void timers.splice(timers.indexOf(then), 1);
      },
      tell: (state) => void states.push(state),
    },
  );
  const events = () => heard.length + states.length + asked.length;
  const say = async (message: unknown) => {
    const done = settled(events);
    sockets.at(-1)?.onmessage?.({ data: JSON.stringify(message) });
    await done;
  };
  const see = async (status: string, error: unknown = null) => {
    const done = settled(events);
    work.see({ type: 'experiment', summary: { id: experimentId, status, error } } as unknown as WorkerEvent);
    await done;
  };
  sockets[0].onopen?.();
  return { work, experimentId, heard, states, asked, timers, sockets, say, see };
}

describe('a page that works for a relay', () => {
  it('takes a run, says how far it is, sends what it came to, and asks for the next', async () => {
    const { work, experimentId, heard, states, asked, say, see } = await page();
    expect(heard).toEqual([{ type: 'take', app: '1', devices: ['cpu'] }]);
    await say(RUN);
    expect(asked).toEqual([`start ${experimentId}`]);
    work.see({
      type: 'lab',
      experimentId,
      event: { type: 'step', row: { step: 2, reward: 0.5 } },
    } as unknown as WorkerEvent);
    expect(heard[1]).toEqual({ type: 'at', id: RUN.id, step: 2, reward: 0.5 });
    expect(states.at(-1)).toMatchObject({ phase: 'training', run: { step: 2, of: 3 } });
    await see('done');
    expect(heard[2]).toMatchObject({ type: 'done', id: RUN.id, record: { status: 'done' } });
    await say({ type: 'taken', id: RUN.id });
    expect(asked.at(-1)).toBe(`delete ${experimentId}`);
    expect(states.at(-1)).toMatchObject({ made: 1, phase: 'waiting' });
    expect(heard.at(-1)?.type).toBe('take');
  });

  it.each([
    ['a run that is not what its key says', { ...RUN, key: 'none, seed 42' }],
    ['a model of elsewhere', { ...RUN, spec: { ...spec, model: 'somebody/else' } }],
  ])('does not begin %s', async (_, run) => {
    const { heard, asked, say } = await page();
    await say(run);
    expect(asked).toEqual([]);
    expect(heard.at(-1)).toMatchObject({ type: 'release', id: RUN.id, error: expect.any(String) });
  });

  it('ends at an unknown message', async () => {
    const { work, states, say } = await page();
    await say({ type: 'eval', code: '1' });
    expect([work.hasEnded, states.at(-1)?.message]).toEqual([true, expect.stringContaining('an unknown message')]);
  });

  it('that only watches hears what goes on, and takes nothing', async () => {
    const { work, heard, asked, states, say } = await page(true);
    await say({ type: 'status', board: BOARD });
    expect(states.at(-1)).toMatchObject({ phase: 'watching', board: BOARD });
    await say(RUN);
    expect([heard, asked, work.hasEnded]).toEqual([[], [], true]);
  });

  it('goes on training while the relay is away, and comes back', async () => {
    const { experimentId, heard, asked, sockets, timers, states, say } = await page();
    await say(RUN);
    sockets[0].onclose?.({ code: 1006, reason: '' });
    expect(states.at(-1)?.phase).toBe('away');
    timers.at(-1)?.();
    sockets[1].onopen?.();
    expect(heard.at(-1)?.type).toBe('take');
    await say(RUN);
    expect(asked).toEqual([`start ${experimentId}`]);
    expect(heard.at(-1)).toMatchObject({ type: 'done', id: RUN.id });
  });

  it('comes back no more where its link opens nothing', async () => {
    const { work, sockets, states } = await page();
    sockets[0].onclose?.({ code: 1008, reason: 'The token has expired.' });
    expect([work.hasEnded, states.at(-1)?.message]).toEqual([true, 'The token has expired.']);
  });

  it('gives a failed run back with what it failed by, and stops what the relay has given to another', async () => {
    const { experimentId, heard, asked, say, see } = await page();
    await say(RUN);
    await see('failed', { message: 'It broke.', remedy: 'Mend it.' });
    expect(heard.at(-1)).toEqual({ type: 'release', id: RUN.id, error: 'It broke. Mend it.' });
    await say(RUN);
    await say({ type: 'lost', id: RUN.id });
    expect(asked).toContain(`stop ${experimentId}`);
  });

  it('gives the run back when a person stops', async () => {
    const { work, experimentId, heard, asked, say } = await page();
    await say(RUN);
    work.stop();
    expect(heard.at(-1)).toEqual({ type: 'release', id: RUN.id });
    expect(asked).toContain(`stop ${experimentId}`);
  });
});
