// The client of a tool server, against a server of a few lines.
import { describe, expect, it } from 'vitest';
import { PendingAnswer, settled } from '../../pending.ts';
import { PythonError } from '../../python-error.ts';
import type { Args } from '../../value.ts';
import { Phone } from '../testing/phone.ts';
import { McpApp, type McpOptions } from './app.ts';
import { type Fetch, McpClient, McpError } from './client.ts';

const TOOLS = [
  {
    name: 'add',
    description: 'Adds.',
    inputSchema: { properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a'] },
    annotations: { readOnlyHint: true },
  },
  { name: 'burn', inputSchema: {}, annotations: { readOnlyHint: false } },
  { name: 'odd' },
];

/** Answers as JSON or as a stream, with a page of one tool at a time; wants its session back. */
function server(isStream: boolean, seen: string[] = []): Fetch {
  return async (_, init) => {
    const { id, method, params } = JSON.parse(init.body as string);
    const headers = new Headers(init.headers);
    seen.push(`${method} ${headers.get('mcp-session-id')}`);
    const page = Number(params?.cursor ?? 0);
    const nextCursor = page + 1 < TOOLS.length ? String(page + 1) : undefined;
    const result = {
      initialize: {},
      'tools/list': { tools: [TOOLS[page]], nextCursor },
      'resources/list': { resources: [{ uri: 'file:///a' }] },
      'resources/read': { contents: [{ uri: params?.uri, text: 'A.' }] },
      'tools/call':
        params?.name === 'add'
          ? { content: [{ type: 'text', text: String(params.arguments.a + params.arguments.b) }] }
          : { content: [{ type: 'text', text: 'it burns' }], isError: true },
    }[method as 'initialize'];
    const body = JSON.stringify({ jsonrpc: '2.0', id, result });
    const other = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message' });
    const text = isStream ? `event: message\ndata: ${other}\n\nevent: message\ndata: ${body}\n\n` : body;
    const type = isStream ? 'text/event-stream' : 'application/json';
    return new Response(text, { headers: { 'content-type': type, 'mcp-session-id': 's1' } });
  };
}

const connected = (options?: McpOptions, fetcher = server(false)) =>
  McpApp.connect('Tools', new McpClient('http://localhost:1/mcp', fetcher), options);

describe('a tool server', () => {
  it.each([false, true])('is called, and the call waits for the answer (as a stream: %s)', async (isStream) => {
    const seen: string[] = [];
    const app = await connected({}, server(isStream, seen));
    expect(seen.slice(0, 3)).toEqual(['initialize null', 'notifications/initialized s1', 'tools/list s1']);
    const phone = new Phone(1, app);
    const call = (tool: string, args: Args = {}) => settled(() => phone.call(tool, args));
    expect(await call('Tools.add', { a: 2, b: 3 })).toBe('5');
    await expect(call('Tools.burn')).rejects.toThrow('it burns');
    expect(phone.lines()).toEqual(['Tools.add', 'Tools.burn!']);
    expect(() => phone.call('Tools.add', { a: 2, b: 3 })).toThrow(PendingAnswer);
    expect(phone.raised('Tools.add', { a: 'x' })).toMatch(/^TypeError/);
  });

  it('has resources for programs, which no agent is shown', async () => {
    const phone = new Phone(1, await connected());
    const read = (tool: string, args: Args = {}) => settled(() => phone.call(`Tools.${tool}`, args));
    expect(await read('list_resources')).toBe('{"resources":[{"uri":"file:///a"}]}');
    expect(await read('read_resource', { uri: 'file:///a' })).toContain('"text":"A."');
    await expect(read('list_prompts')).rejects.toThrow('prompts/list');
    expect(phone.app('Tools').tool('list_resources')?.roles).toEqual([]);
  });

  it('says what its tools take and whether they write', async () => {
    const tools = (await connected()).tools.filter(({ roles }) => roles.includes('agent'));
    expect(tools.map(({ name, operation }) => [name, operation])).toEqual([
      ['add', 'READ'],
      ['burn', 'WRITE'],
      ['odd', 'READ'],
    ]);
    expect(tools[0]?.params.map(({ type, default: fallback }) => [type, fallback])).toEqual([
      ['int', undefined],
      ['int | None', null],
    ]);
  });

  it('offers less where one wants less', async () => {
    const names = async (options: McpOptions) =>
      (await connected(options)).tools.filter(({ roles }) => roles.includes('agent')).map(({ name }) => name);
    expect(await names({ onlyReadOnly: true })).toEqual(['add']);
    expect(await names({ exclude: ['add'] })).toEqual(['burn', 'odd']);
    const { tools } = await connected({ explain: ({ name }) => `It can ${name}.` });
    expect(tools[1]?.about).toBe('It can burn.');
  });

  it('that fails in the middle of a run is an error that the agent is told of', async () => {
    const working = server(false);
    let isUp = true;
    const app = await connected({}, (url, init) => (isUp ? working(url, init) : Promise.reject(new TypeError('gone'))));
    isUp = false;
    const phone = new Phone(1, app);
    await expect(settled(() => phone.call('Tools.add', { a: 1 }))).rejects.toThrow(PythonError);
    expect(phone.lines()).toEqual(['Tools.add!']);
  });

  it('that cannot be reached, refuses, or talks of something else is a named error', async () => {
    const broken: Fetch[] = [
      () => Promise.reject(new TypeError('no network')),
      async () => new Response('', { status: 403 }),
      async () => new Response('<html>'),
      async () => new Response(JSON.stringify({ id: 1, error: { message: 'no' } })),
    ];
    for (const fetcher of broken) await expect(connected({}, fetcher)).rejects.toThrow(McpError);
  });
});
