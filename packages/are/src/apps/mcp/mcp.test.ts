// Tests the client of a tool server against a minimal server.
import { describe, expect, it } from 'vitest';
import { PendingAnswer, settled } from '../../pending.ts';
import { PythonError } from '../../python-error.ts';
import type { Args } from '../../value.ts';
import { Phone } from '../testing/phone.ts';
import { McpApp, type McpOptions } from './app.ts';
import { type Fetch, McpClient } from './client.ts';
import { McpError } from './server.ts';

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

/** Answers as JSON or as a stream, one tool per page; requires its session id. */
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

  it('has resources for programs, hidden from agents', async () => {
    const phone = new Phone(1, await connected());
    const read = (tool: string, args: Args = {}) => settled(() => phone.call(`Tools.${tool}`, args));
    expect(await read('list_resources')).toBe('{"resources":[{"uri":"file:///a"}]}');
    expect(await read('read_resource', { uri: 'file:///a' })).toContain('"text":"A."');
    await expect(read('list_prompts')).rejects.toThrow('prompts/list');
    expect(phone.app('Tools').tool('list_resources')?.roles).toEqual([]);
  });

  it('reports the arguments of its tools and whether they write', async () => {
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

  it('offers fewer tools if options exclude some', async () => {
    const names = async (options: McpOptions) =>
      (await connected(options)).tools.filter(({ roles }) => roles.includes('agent')).map(({ name }) => name);
    expect(await names({ onlyReadOnly: true })).toEqual(['add']);
    expect(await names({ exclude: ['add'] })).toEqual(['burn', 'odd']);
    const { tools } = await connected({ explain: ({ name }) => `It can ${name}.` });
    expect(tools[1]?.about).toBe('It can burn.');
  });

  it('that fails during a run causes an error that the agent sees', async () => {
    const working = server(false);
    let isUp = true;
    const app = await connected({}, (url, init) => (isUp ? working(url, init) : Promise.reject(new TypeError('gone'))));
    isUp = false;
    const phone = new Phone(1, app);
    await expect(settled(() => phone.call('Tools.add', { a: 1 }))).rejects.toThrow(PythonError);
    expect(phone.lines()).toEqual(['Tools.add!']);
  });

  it('that cannot be reached, refuses, or breaks the protocol is a named error', async () => {
    const broken: Fetch[] = [
      () => Promise.reject(new TypeError('no network')),
      async () => new Response('', { status: 403 }),
      async () => new Response('<html>'),
      async () => new Response(JSON.stringify({ id: 1, error: { message: 'no' } })),
    ];
    for (const fetcher of broken) await expect(connected({}, fetcher)).rejects.toThrow(McpError);
  });

  /** A server that lists these tools, and answers with the arguments of each call. */
  const listing =
    (tools: unknown, sent: unknown[] = [], more: object = {}): Fetch =>
    async (_, init) => {
      const { id, method, params } = JSON.parse(init.body as string);
      if (method === 'tools/call') sent.push(params.arguments);
      const result = method === 'tools/list' ? { tools, ...more } : { content: [{ type: 'text', text: 'ok' }] };
      return Response.json({ jsonrpc: '2.0', id, result });
    };

  it('receives the given arguments under their own names, without defaults or added nulls', async () => {
    const sent: unknown[] = [];
    const inputSchema = {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer', default: 10 },
        after: { type: ['string', 'null'] },
        filter: { type: 'object', properties: { tag: { type: 'string' }, day: { enum: ['mon', null] } } },
      },
      required: ['query'],
    };
    const app = await connected({}, listing([{ name: 'a__find', inputSchema }], sent));
    const call = (args: Args) => settled(() => new Phone(1, app).call('Tools.a_find', args));
    await call({ query: 'x' });
    await call({ query: 'x', limit: null, after: null, filter: { tag: null, day: null } });
    await call({ query: 'x', limit: 10, filter: {} });
    expect(sent).toEqual([
      { query: 'x' },
      { query: 'x', after: null, filter: { day: null } },
      { query: 'x', limit: 10, filter: {} },
    ]);
    await expect(call({ query: null })).rejects.toThrow("Argument 'query' must be of type");
  });

  it("that promises a structured answer must send it: the agent's error names tool and field", async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const app = await connected({}, listing([{ name: 'stats', outputSchema }]));
    await expect(settled(() => new Phone(1, app).call('Tools.stats'))).rejects.toThrow(
      'tool "stats": it promises an outputSchema, and its answer has no structuredContent',
    );
  });

  const one = (tool: object) => [{ name: 'echo', inputSchema: { type: 'object' }, ...tool }];
  it.each<[string, unknown, object, string | null]>([
    ['a null description', one({ description: null }), {}, null],
    ['no schema', [{ name: 'echo' }], {}, null],
    ['a description that is a number', one({ description: 5 }), {}, 'tool "echo": description is the number 5'],
    ['no list', { echo: {} }, {}, 'tools is an object, and has to be a list'],
    ['a tool that is none', [null], {}, 'tool 1 is null'],
    ['a tool without a name', [...one({}), { inputSchema: {} }], {}, 'tool 2 has no name'],
    ['one name twice', [...one({}), ...one({})], {}, 'tool "echo" is listed twice'],
    ['two names that the world takes for one', [{ name: 'a__b' }, { name: 'a_b' }], {}, 'would both be Tools__a_b'],
    ['a schema that is null', one({ inputSchema: null }), {}, 'tool "echo": inputSchema is null'],
    ['a schema that is a list', one({ inputSchema: [] }), {}, 'tool "echo": inputSchema is a list'],
    ['a schema of a text', one({ inputSchema: { type: 'string' } }), {}, 'inputSchema.type is "string"'],
    ['properties in a list', one({ inputSchema: { properties: [] } }), {}, 'inputSchema.properties is a list'],
    ['a property that is null', one({ inputSchema: { properties: { a: null } } }), {}, 'properties.a is null'],
    ['required that is a text', one({ inputSchema: { required: 'a' } }), {}, 'inputSchema.required has to be a list'],
    ['an output schema that is a text', one({ outputSchema: 'x' }), {}, 'tool "echo": outputSchema is the string "x"'],
    [
      'a cursor that comes again',
      [],
      { nextCursor: 'c' },
      'its list of tools has no end: page 2 names the cursor "c" again',
    ],
    ['an empty cursor', [], { nextCursor: '' }, 'page 1 names an empty cursor'],
    ['a cursor that is a number', [], { nextCursor: 2 }, 'nextCursor is the number 2'],
    ['a null cursor', one({}), { nextCursor: null }, null],
  ])('is taken, or refused by the name of tool and field: %s', async (_, tools, more, why) => {
    const found = connected({}, listing(tools, [], more));
    if (why === null) return expect((await found).tools[0]).toMatchObject({ name: 'echo', about: '' });
    const error = await found.catch((raised: unknown) => raised);
    expect(error).toBeInstanceOf(McpError);
    expect((error as McpError).message).toContain(why);
    expect((error as McpError).remedy).not.toContain('CORS');
  });

  it('that never stops sending pages is stopped', async () => {
    let page = 0;
    const endless: Fetch = async (_, init) => {
      const { id, method } = JSON.parse(init.body as string);
      const result = method === 'tools/list' ? { tools: [{ name: `t${page}` }], nextCursor: String(++page) } : {};
      return Response.json({ jsonrpc: '2.0', id, result });
    };
    await expect(connected({}, endless)).rejects.toThrow('more than 50 pages of tools');
    expect(page).toBe(50);
  });

  it.each<[string, () => Response, string]>([
    ['a page', () => new Response('<html><title>My app</title></html>'), 'it answered with an HTML page: My app'],
    [
      'a refusal',
      () => Response.json({ error: { message: 'Bad session' } }, { status: 400 }),
      'status 400: Bad session',
    ],
    [
      'an error',
      () => Response.json({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no' } }),
      'an error: no (code -32601)',
    ],
    ['nothing', () => new Response(''), 'no result for the request; it is empty'],
  ])('that answers with %s: its own words reach the person', async (_, answer, why) => {
    await expect(connected({}, async () => answer())).rejects.toThrow(why);
  });
});
