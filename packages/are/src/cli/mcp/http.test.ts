// Tests a scenario played over HTTP by the SDK's own clients, with both transports, and refused requests.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { FormatError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { RemoteAgent } from '../../agents/remote.ts';
import { runAgent } from '../../agents/run.ts';
import { IMPORTABLE_CLASSES } from '../../apps/registry.ts';
import { settled } from '../../pending.ts';
import { traceText } from '../../scenario/export.ts';
import { sampleTrace } from '../../testing/sample.ts';
import { beginJudgedRun } from '../../verifier/judged-run.ts';
import { ALONE } from '../alone.ts';
import { areServe } from '../serve.ts';
import { type Listening, serveOverHttp } from './http.ts';

const open: Listening[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function served(idleSeconds = 600) {
  const agent = new RemoteAgent(() => 0);
  const { environment, verifier } = beginJudgedRun(sampleTrace(), { classes: IMPORTABLE_CLASSES });
  const playing = runAgent(environment, agent, { turns: verifier.turnCount, onStep: agent.onStep }).finally(() =>
    agent.end(),
  );
  const listening = await serveOverHttp(
    { name: 'sample', apps: environment.apps, agent, hasState: false },
    0,
    idleSeconds,
  );
  open.push(listening);
  const verdict = async () => {
    agent.leave();
    await playing;
    return settled(() => verifier.judgeEnd(environment.log.list()));
  };
  return { listening, verdict };
}

const TRANSPORTS: Readonly<Record<string, (base: string) => Transport>> = {
  '/mcp': (base) => new StreamableHTTPClientTransport(new URL(`${base}/mcp`)) as Transport,
  '/sse': (base) => new SSEClientTransport(new URL(`${base}/sse`)),
};

describe.each(Object.keys(TRANSPORTS))('by %s', (path) => {
  it('a scenario is played turn by turn by one client, and judged when the client has left', async () => {
    const { listening, verdict } = await served();
    const transport = TRANSPORTS[path]!(listening.base);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const { content } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] };
      return content.map(({ text }) => text).join('\n');
    };
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('Emails__send_email');
    expect(await call('lab__read_messages')).toContain('Ask Ana for tea and tell me');
    const others = Object.values(TRANSPORTS).map((make) =>
      new Client({ name: 'other', version: '1' }).connect(make(listening.base)),
    );
    for (const { status } of await Promise.allSettled(others)) expect(status).toBe('rejected');
    const sent = { recipients: ['ana@x.org'], subject: 'Tea', content: 'Tea on Friday at 15:00?' };
    await call('Emails__send_email', sent);
    expect(await call('AgentUserInterface__send_message_to_user', { content: 'Asked.' })).toContain('New email');
    const times = { start_datetime: '2024-10-18 15:00:00', end_datetime: '2024-10-18 16:00:00' };
    await call('Calendar__add_calendar_event', { title: 'Tea', ...times, attendees: ['Ana Ruiz'] });
    expect(await call('AgentUserInterface__send_message_to_user', { content: 'Noted.' })).toContain('is over');
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    await client.close();
    await listening.gone;
    expect((await verdict()).rationale).toBe('None');
  });
});

describe('every other client is refused', () => {
  const asking = (base: string, path: string, headers: Record<string, string>, body?: string) =>
    new Promise<number>((resolve, reject) => {
      const own = httpRequest(
        `${base}${path}`,
        { method: body === undefined ? 'GET' : 'POST', headers },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
          response.once('close', () => own.destroy());
        },
      );
      own.on('error', reject);
      own.end(body);
    });
  const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const HELLO = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  });

  it('requests from another site, by another host name, and with two host names', async () => {
    const { listening } = await served();
    const { port } = new URL(listening.base);
    for (const path of ['/mcp', '/sse', '/messages?sessionId=x'])
      for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { host: `evil.example:${port}` }])
        expect(await asking(listening.base, path, { ...JSON_TYPE, ...headers } as never, HELLO), path).toBe(403);
    const twice = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(`GET /sse HTTP/1.1\r\nHost: localhost:${port}\r\nHost: evil.example\r\n\r\n`),
      );
      socket.once('data', (data) => {
        resolve(String(data).slice(9, 12));
        socket.destroy();
      });
    });
    expect(['400', '403']).toContain(twice);
  });

  it('requests that are not messages, are too long, or have no session; a client may connect afterwards', async () => {
    const { listening } = await served();
    const { base } = listening;
    expect(await asking(base, '/mcp', { 'content-type': 'text/plain' }, HELLO)).toBe(415);
    expect(await asking(base, '/mcp', JSON_TYPE, '{')).toBe(400);
    expect(await asking(base, '/mcp', JSON_TYPE, '{"jsonrpc":"2.0"}')).toBe(400);
    expect(await asking(base, '/mcp', JSON_TYPE, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).toBe(400);
    expect(await asking(base, '/mcp', JSON_TYPE, JSON.stringify('x'.repeat(2 ** 20)))).toBe(413);
    expect(await asking(base, '/messages?sessionId=x', JSON_TYPE, HELLO)).toBe(404);
    expect(await asking(base, '/other', JSON_TYPE, HELLO)).toBe(404);
    expect(await asking(base, '/mcp', JSON_TYPE, HELLO)).toBe(200);
    // This session id was not given to the client.
    expect(await asking(base, '/mcp', { ...JSON_TYPE, 'mcp-session-id': 'guessed' }, HELLO)).not.toBe(200);
  });

  it('an idle connection blocks no other client', async () => {
    const { listening } = await served();
    const { port } = new URL(listening.base);
    const sockets = Array.from({ length: 40 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
    try {
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new SSEClientTransport(new URL(`${listening.base}/sse`)));
      // An open stream does not count as an idle connection.
      const more = Array.from({ length: 40 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
      sockets.push(...more);
      await Promise.all(more.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
      expect((await client.listTools()).tools.length).toBeGreaterThan(1);
      await client.close();
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('a port in use causes an error that says so', async () => {
    const { listening } = await served();
    const again = serveOverHttp(
      { name: 'x', apps: [], agent: new RemoteAgent(() => 0), hasState: false },
      Number(new URL(listening.base).port),
      1,
    );
    await expect(again).rejects.toThrow(SpecError);
  });
});

it('a judge that is lost during a run ends it with a named error', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'serve-')), 'scenario.json');
  writeFileSync(file, traceText(sampleTrace()));
  const nobody = ['--soft', 'model', '--judge-endpoint', 'http://127.0.0.1:1/v1', '--judge-name', 'm'];
  let hear: (base: string) => void = () => {};
  const heard = new Promise<string>((resolve) => {
    hear = resolve;
  });
  const note = (line: string) => hear(/http:\/\/[\d.:]+/.exec(line)?.[0] ?? '');
  const progress = { note, update: () => {}, line: () => {}, end: () => {} };
  const context = { out: () => {}, progress, signal: new AbortController().signal, root: '.' };
  const ended = areServe(ALONE)
    .run([file, '--port', '0', ...nobody], context)
    .catch((error: Error) => error);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${await heard}/mcp`)) as Transport);
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  const content = 'Would tea suit you on Friday at 15:00?';
  await call('Emails__send_email', { recipients: ['ana@x.org'], subject: 'Tea', content });
  await call('AgentUserInterface__send_message_to_user', { content: 'I asked her.' }).catch(() => null);
  expect(await ended).toBeInstanceOf(FormatError);
  await client.close().catch(() => null);
});

it('a run that is stopped by Ctrl-C is stored in its trace up to that point', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serve-'));
  const [file, path] = [join(folder, 'scenario.json'), join(folder, 'trace.json')];
  writeFileSync(file, traceText(sampleTrace()));
  let hear: (base: string) => void = () => {};
  const heard = new Promise<string>((resolve) => {
    hear = resolve;
  });
  const notes: string[] = [];
  const note = (line: string) => {
    notes.push(line);
    const [base] = /http:\/\/[\d.:]+/.exec(line) ?? [];
    if (base) hear(base);
  };
  const stop = new AbortController();
  const progress = { note, update: () => {}, line: () => {}, end: () => {} };
  const context = { out: () => {}, progress, signal: stop.signal, root: '.' };
  const ended = areServe(ALONE)
    .run([file, '--port', '0', '--trace', path], context)
    .catch((error: Error) => error);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${await heard}/mcp`)) as Transport);
  const sent = { recipients: ['ana@x.org'], subject: 'Tea', content: 'Tea on Friday at 15:00?' };
  await client.callTool({ name: 'Emails__send_email', arguments: sent });
  stop.abort(new StoppedError());
  expect(await ended).toBeInstanceOf(StoppedError);
  const kept = JSON.parse(readFileSync(path, 'utf8')) as { world_logs: string[]; completed_events: unknown[] };
  expect(kept.world_logs.join()).toContain('Emails__send_email');
  expect(JSON.stringify(kept.completed_events)).toContain('Tea on Friday at 15:00?');
  expect(notes.at(-1)).toContain('1 action, not judged');
  await client.close().catch(() => null);
});

it('a client without requests for some time counts as disconnected', async () => {
  const { listening } = await served(0.05);
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${listening.base}/mcp`));
  await client.connect(transport as Transport);
  // This closes the connection without ending its session.
  await client.close();
  await listening.gone;
});
