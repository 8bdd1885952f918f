// Tests servers started by a command, and how their faults are handled: the shared fixtures, and a server with one fault at a time.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { MCP_APP, McpApp } from '../../apps/mcp/app.ts';
import { McpError } from '../../apps/mcp/server.ts';
import { Phone } from '../../apps/testing/phone.ts';
import { settled } from '../../pending.ts';
import type { Args } from '../../value.ts';
import { commandServer, type SdkServer } from './client.ts';

const SHARED = '../shared/stranger';
const ODD = fileURLToPath(new URL('./testing/odd-server.mjs', import.meta.url));

const opened: SdkServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

function started(script: string, within?: Parameters<typeof commandServer>[1]): SdkServer {
  const server = commandServer(`"${process.execPath}" ${script}`, within);
  opened.push(server);
  return server;
}

async function played(script: string) {
  const app = await McpApp.connect(MCP_APP, started(script));
  new Phone(1, app);
  return (tool: string, args: Args = {}) => settled(() => app.call(tool, args));
}

describe.skipIf(!existsSync(SHARED))('servers of the shared fixtures (skipped where ../shared is missing)', () => {
  const { mcp } = existsSync(SHARED) ? JSON.parse(readFileSync(`${SHARED}/expected.json`, 'utf8')) : { mcp: {} };

  it.each(Object.entries(mcp))('the strict server: %s', async (asked, expected) => {
    const [, tool = '', input = '{}'] = /^(\w+) (.*)$/.exec(asked) ?? [];
    const call = await played(`${SHARED}/mcp/strict-server.mjs ${process.cwd()}`);
    const text = String(await call(tool, JSON.parse(input)));
    const { serverGets, observationJson } = expected as { serverGets?: object; observationJson?: object };
    expect(JSON.parse(text.replace(/^got /, ''))).toEqual(serverGets ?? observationJson);
  });

  const raw = (mode: string) => played(`${SHARED}/mcp/raw-server.mjs ${mode}`);
  it.each<[string, string, Args, string]>([
    ['nodescription', 'echo', { text: 'a' }, 'you said {"text":"a"}'],
    ['structured', 'echo', { text: 'a' }, '{"a":1}'],
    ['noise', 'echo', { text: 'a' }, 'you said {"text":"a"}'],
    ['jsonnoise', 'echo', { text: 'a' }, 'you said {"text":"a"}'],
    ['oldproto', 'echo', { text: 'a' }, 'you said {"text":"a"}'],
    ['paged', 'b', {}, 'you said {}'],
    ['schemas', 'get-weather.v2', { opts: { unit: 'C' } }, 'you said {"opts":{"unit":"C"}}'],
    [
      'schemas',
      'get-weather.v2',
      { opts: { unit: 'C' }, city: null, n: null, tags: null },
      'you said {"city":null,"opts":{"unit":"C"},"n":null}',
    ],
    ['schemas', 'spaced name', {}, 'you said {}'],
  ])('the raw server, %s: %s %j', async (mode, tool, args, expected) => {
    expect(await (await raw(mode))(tool, args)).toBe(expected);
  });

  it('the raw server: a null that the schema forbids is reported by tool and field', async () => {
    const call = await raw('schemas');
    await expect(call('get-weather.v2', { opts: { unit: null } })).rejects.toThrow(
      'get-weather.v2: opts.unit is null, and has to be one of "C", "F"',
    );
    await expect(call('get-weather.v2', { opts: { unit: 'C' }, tags: ['a', null] })).rejects.toThrow(
      'get-weather.v2: tags[1] is null, and has to be string',
    );
  });
});

describe('a server that is started by a command', () => {
  const error = async (habit: string) => {
    const failed = await McpApp.connect(MCP_APP, started(`${ODD} ${habit}`, { connect: 1500, answer: 500 })).catch(
      (raised: unknown) => raised,
    );
    expect(failed).toBeInstanceOf(McpError);
    return failed as McpError;
  };

  it.each<[string, RegExp]>([
    ['silent', /initialize: the server had not answered after 1\.5 s\.$/],
    ['glued', /not answered after 1\.5 s\. It wrote to standard output what is no message: Server v1/],
    ['refuses', /initialize: the server has ended\. It wrote to standard error: Error: no DATABASE_URL\.$/],
  ])('and does not come to speak says why, with a remedy for a command: %s', async (habit, why) => {
    const { message, remedy } = await error(habit);
    expect(message).toMatch(why);
    expect(remedy).toContain('standard output');
    expect(remedy).not.toMatch(/CORS|address|http/);
  });

  it('that is missing causes an error that says so', async () => {
    const failed = await commandServer('no-such-program-here')
      .connect()
      .catch((raised: unknown) => raised);
    expect((failed as McpError).message).toBe(
      'no-such-program-here: initialize: the command cannot be started (ENOENT).',
    );
  });

  it('that prints text for people on standard output is used, and the text is recorded', async () => {
    const server = started(`${ODD} noise`);
    const app = await McpApp.connect(MCP_APP, server);
    expect(await settled(() => new Phone(1, app).call(`${MCP_APP}.echo`))).toBe('echoed');
    // Node's version decides how much of the line is quoted.
    expect(server.noise).toMatch(/^Server v1/);
  });

  it.each<[string, string]>([
    ['dies', 'tool "echo": the server has ended.'],
    ['deaf', 'tool "echo": the server had not answered after 0.5 s.'],
  ])('and fails in the middle of a call is an error that the agent is told of: %s', async (habit, why) => {
    const app = await McpApp.connect(MCP_APP, started(`${ODD} ${habit}`, { connect: 5000, answer: 500 }));
    const call = () => settled(() => new Phone(1, app).call(`${MCP_APP}.echo`));
    await expect(call()).rejects.toThrow(why);
    // The next call fails in the same way.
    await expect(call()).rejects.toThrow(why);
  });
});
