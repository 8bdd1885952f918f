// The relay's door against sockets that mean it ill. What it does with runs, on a real server: scripts/tool/sweep-redis.test.mjs.
import { connect as connectTcp } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { MOST, PROTOCOL } from '../../experiments/sweep/relay/messages.ts';
import { Door } from './server.ts';
import { type Looked, Tokens } from './tokens.ts';

const ORIGIN = 'https://lab.example';
const TOKEN = 't'.repeat(43);
const open: { end(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.end();
});

async function doorWith(looked: (token: string) => Looked = () => ({ worker: 'ann', why: null })) {
  const heard: unknown[] = [];
  const left: string[] = [];
  const notes: string[] = [];
  const door = new Door({
    origins: [ORIGIN],
    tls: null,
    look: async (token) => looked(token),
    async answer(_, message) {
      heard.push(message);
      return { type: 'wait', seconds: 1 };
    },
    left: async (worker) => void left.push(worker),
    note: (line) => void notes.push(line),
  });
  open.push(door);
  const port = await door.listen(0, '127.0.0.1');
  return { door, port, heard, left, notes };
}

const socketTo = (port: number, { origin = ORIGIN as string | null, protocols = [PROTOCOL, TOKEN], path = '/' } = {}) =>
  new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, origin === null ? {} : { origin });

/** How it ends: the status that keeps it out, or the code that it is closed with. */
const endOf = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => {
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
    socket.on('close', (code) => resolve(code));
    socket.on('error', () => {});
  });
const opened = (socket: WebSocket): Promise<void> => new Promise((resolve) => socket.on('open', resolve));
const take = JSON.stringify({ type: 'take', app: '1', devices: ['cpu'] });

describe('a socket', () => {
  it('of a page that was told of, with a token, is heard', async () => {
    const { port, heard } = await doorWith();
    const socket = socketTo(port);
    await opened(socket);
    const answer = new Promise((resolve) => socket.on('message', (data) => resolve(JSON.parse(String(data)))));
    socket.send(take);
    expect(await answer).toEqual({ type: 'wait', seconds: 1 });
    expect(heard).toEqual([JSON.parse(take)]);
  });

  it.each([
    ['of another origin', { origin: 'https://lab.example.evil' }, 403],
    ['without an origin', { origin: null }, 403],
    ['of another protocol', { protocols: ['chat', TOKEN] }, 400],
    ['of another path', { path: '/admin' }, 400],
  ])('%s is refused before it is open', async (_, given, status) => {
    const { port, heard } = await doorWith();
    expect(await endOf(socketTo(port, given))).toBe(status);
    expect(heard).toEqual([]);
  });

  it('without a token that opens is refused, with the reason said to the relay’s own side alone', async () => {
    const { port, notes } = await doorWith(() => ({ worker: 'ann', why: 'The token has expired.' }));
    expect(await endOf(socketTo(port))).toBe(401);
    expect(notes.join()).toContain('ann: The token has expired.');
    expect(notes.join()).not.toContain(TOKEN);
  });

  it.each([
    ['what is none of the four messages', '{"type":"eval"}'],
    ['what is no JSON', 'hello'],
    ['bytes', Buffer.from([1, 2, 3])],
    ['depth', '['.repeat(50_000)],
  ])('that says %s is closed', async (_, data) => {
    const { port, heard } = await doorWith();
    const socket = socketTo(port);
    await opened(socket);
    socket.send(data);
    expect(await endOf(socket)).toBe(1008);
    expect(heard).toEqual([]);
  });

  it('that sends more than any message may have is closed while it sends', async () => {
    const { port, heard } = await doorWith();
    const socket = socketTo(port);
    await opened(socket);
    socket.send('x'.repeat(MOST.done + 1));
    expect(await endOf(socket)).toBe(1009);
    expect(heard).toEqual([]);
  });

  it('that floods is closed', async () => {
    const { port, heard } = await doorWith();
    const socket = socketTo(port);
    await opened(socket);
    for (let i = 0; i < 500; i++) socket.send(take);
    expect(await endOf(socket)).toBe(1008);
    expect(heard.length).toBeLessThanOrEqual(100);
  });

  it('with the token of another takes its place: one a worker', async () => {
    const { door, port, left } = await doorWith();
    const first = socketTo(port);
    await opened(first);
    const ended = endOf(first);
    const second = socketTo(port);
    await opened(second);
    expect(await ended).toBe(1008);
    expect([door.workers, left]).toEqual([['ann'], ['ann']]);
  });

  it('whose token expires meanwhile is closed at its next message', async () => {
    let why: string | null = null;
    const { port, heard } = await doorWith(() => ({ worker: 'ann', why }) as Looked);
    const socket = socketTo(port);
    await opened(socket);
    why = 'The token has expired.';
    socket.send(take);
    expect(await endOf(socket)).toBe(1008);
    expect(heard).toEqual([]);
  });

  it('that breaks off in the middle of a handshake leaves the door open', async () => {
    const { port } = await doorWith();
    for (const text of [
      'GET / HTTP/1.1\r\nUpgrade: websocket\r\n',
      '\x00\xff\r\n\r\n',
      'GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: https://lab.example\r\n\r\n',
    ]) {
      const raw = connectTcp(port, '127.0.0.1');
      raw.on('error', () => {});
      await new Promise<void>((resolve) => raw.write(text, 'latin1', () => resolve()));
      raw.destroy();
    }
    await opened(socketTo(port));
  });
});

describe('a token', () => {
  function tokensAt(clock: { now: number }) {
    const hashes = new Map<string, Map<string, string>>();
    const of = (name: string) => hashes.get(name) ?? hashes.set(name, new Map()).get(name)!;
    const client = {
      hset: async (name: string, field: string, value: string) => of(name).set(field, value).size,
      hget: async (name: string, field: string) => of(name).get(field) ?? null,
      hgetall: async (name: string) => Object.fromEntries(of(name)),
    };
    return { hashes, client, tokens: new Tokens(client as never, () => clock.now) };
  }

  it('expires, is taken back, and is kept as its hash alone', async () => {
    const clock = { now: 1000 };
    const { tokens, hashes } = tokensAt(clock);
    const [ann, bob] = [await tokens.invite('ann', 60), await tokens.invite('bob', 60)];
    expect(ann).toHaveLength(43);
    expect(JSON.stringify([...hashes.values()].map((each) => [...each]))).not.toContain(ann);
    expect(await tokens.look(ann)).toEqual({ worker: 'ann', why: null });
    expect(await tokens.revoke('bob')).toBe(1);
    expect((await tokens.look(bob)).why).toContain('revoked');
    clock.now += 60_000;
    expect((await tokens.look(ann)).why).toContain('expired');
    expect((await tokens.look('x'.repeat(43))).why).toContain('not known');
    expect((await tokens.look('../../x')).why).toContain('not known');
  });

  it('of a liar opens nothing', async () => {
    const { tokens, client } = tokensAt({ now: 0 });
    const token = await tokens.invite('eve', 60);
    await client.hset('lab-sweep:liars', 'eve', 'of run 1 it said x');
    expect((await tokens.look(token)).why).toContain('of run 1 it said x');
  });
});
