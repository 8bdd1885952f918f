// The client of a tool server, against a server of a few lines.
import { describe, expect, it } from 'vitest';
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
  it.each([false, true])('is asked first and called then (as a stream: %s)', async (isStream) => {
    const seen: string[] = [];
    const app = await connected({}, server(isStream, seen));
    expect(seen.slice(0, 3)).toEqual(['initialize null', 'notifications/initialized s1', 'tools/list s1']);
    const phone = new Phone(1, app);
    await app.ask('add', { a: 2, b: 3 });
    expect(phone.call('Tools.add', { a: 2, b: 3 })).toBe('5');
    await app.ask('burn', {});
    expect(phone.raised('Tools.burn')).toBe('RuntimeError: it burns');
    expect(phone.lines()).toEqual(['Tools.add', 'Tools.burn!']);
    expect(phone.raised('Tools.add', { a: 1 })).toMatch(/has not been asked/);
  });

  it('says what its tools take and whether they write', async () => {
    const { tools } = await connected();
    expect(tools.map(({ name, operation }) => [name, operation])).toEqual([
      ['add', 'READ'],
      ['burn', 'WRITE'],
      ['odd', 'READ'],
    ]);
    expect(tools[0]?.params.map(({ type, default: usual }) => [type, usual])).toEqual([
      ['int', undefined],
      ['int | None', null],
    ]);
  });

  it('offers less where one wants less', async () => {
    const names = async (options: McpOptions) => (await connected(options)).tools.map(({ name }) => name);
    expect(await names({ onlyReadOnly: true })).toEqual(['add']);
    expect(await names({ exclude: ['add'] })).toEqual(['burn', 'odd']);
    const { tools } = await connected({ explain: ({ name }) => `It can ${name}.` });
    expect(tools[1]?.about).toBe('It can burn.');
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
