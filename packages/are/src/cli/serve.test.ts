// Tests that a real client plays a scenario over the Model Context Protocol: it starts the command and communicates by standard input and
// output, as an agent framework does.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { McpApp } from '../apps/mcp/app.ts';
import { McpError } from '../apps/mcp/server.ts';
import { settled } from '../pending.ts';
import { traceText } from '../scenario/export.ts';
import { sampleTrace } from '../testing/sample.ts';
import type { Args } from '../value.ts';
import { AppWorld } from '../world.ts';
import { commandServer, streamServer } from './mcp/client.ts';

interface Answer {
  content: { text: string }[];
  isError?: boolean;
}

it('is played by a client over stdio, turn by turn, and judged when the client disconnects', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serve-'));
  const [file, out] = [join(folder, 'scenario.json'), join(folder, 'trace.json')];
  writeFileSync(file, traceText(sampleTrace()));
  const transport = new StdioClientTransport({
    command: process.execPath,
    stderr: 'pipe',
    args: ['packages/are/bin/are.mjs', ...['serve', file, '--generation', 'fixed', '--trace', out]],
  });
  let words = '';
  transport.stderr?.on('data', (chunk) => {
    words += String(chunk);
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport, { timeout: 120_000 });
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError = false } = (await client.callTool({ name, arguments: args })) as unknown as Answer;
    return { text: content.map(({ text }) => text).join('\n'), isError };
  };
  const { tools } = await client.listTools();
  const named = (name: string) => tools.find((tool) => tool.name === name);
  expect(named('Emails__send_email')).toMatchObject({ annotations: { readOnlyHint: false } });
  expect(named('Emails__get_email_by_id')?.inputSchema.required).toEqual(['email_id']);
  expect(named('Emails__send_email_to_user_only')).toBeUndefined();

  expect((await call('lab__read_messages')).text).toContain('Ask Ana for tea and tell me');
  expect((await call('lab__read_messages')).text).toBe('Nothing new.');
  expect(await call('Emails__send_email', { recipients: 5 })).toEqual({
    isError: true,
    text: expect.stringMatching(/^TypeError: Argument 'recipients' must be of type list\[str\]/),
  });
  expect((await call('Emails__nothing')).isError).toBe(true);
  const sent = { recipients: ['ana@x.org'], subject: 'Tea', content: 'Tea on Friday at 15:00?' };
  // Two simultaneous calls are handled one after the other.
  const [mail, waited] = await Promise.all([
    call('Emails__send_email', sent),
    call('AgentUserInterface__send_message_to_user', { content: 'Asked.' }),
  ]);
  expect(mail.text).toMatch(/^[0-9a-f]{32}$/);
  // The next turn begins with its events.
  expect(waited.text).toContain('New email received');
  const times = { start_datetime: '2024-10-18 15:00:00', end_datetime: '2024-10-18 16:00:00' };
  await call('Calendar__add_calendar_event', { title: 'Tea', ...times, attendees: ['Ana Ruiz'] });
  const last = await call('AgentUserInterface__send_message_to_user', { content: 'Noted.' });
  expect(last.text).toContain('The scenario is over');
  expect((await call('SystemApp__get_current_time')).isError).toBe(true);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).not.toContain('app://Emails/state');
  const [info] = (await client.readResource({ uri: 'app://info' })).contents as { text: string }[];
  expect(JSON.parse(info?.text ?? '')).toMatchObject({ app_count: 5 });
  await client.close();
  await expect.poll(() => words, { timeout: 60_000 }).toContain('Passed.');
  await expect.poll(() => readFileSync(out, 'utf8'), { timeout: 10_000 }).toContain('"agent_id": "mcp"');
}, 180_000);

describe('a server without an http address offers its tools as an app', () => {
  const called = (app: McpApp, tool: string, args: Args) => settled(() => app.call(tool, args));

  it('by a command, on stdio', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'serve-')), 'scenario.json');
    writeFileSync(file, traceText(sampleTrace()));
    const server = commandServer(`"${process.execPath}" packages/are/bin/are.mjs serve ${file}`);
    const app = await McpApp.connect('Tools', server);
    new AppWorld({ now: () => 0, seed: 1 }).add(app);
    // An action's name has one double underscore, between app and tool.
    expect(app.tool('Emails_send_email')).toMatchObject({ operation: 'WRITE', roles: ['agent'] });
    expect(app.tool('SystemApp_get_current_time')?.operation).toBe('READ');
    expect(await called(app, 'lab_read_messages', {})).toContain('Ask Ana for tea');
    await expect(called(app, 'Emails_send_email', { recipients: 5 })).rejects.toThrow('TypeError');
    expect(await called(app, 'read_resource', { uri: 'app://info' })).toContain('app_count');
    await server.close();
    await expect(McpApp.connect('Tools', commandServer('/no/such/command'))).rejects.toThrow(McpError);
    expect(() => commandServer('  ')).toThrow(SpecError);
  }, 120_000);

  it('by a stream of events, without following a redirect', async () => {
    let transport: SSEServerTransport | null = null;
    const host = createServer(async (request, response) => {
      if (request.url === '/away') response.writeHead(307, { location: 'http://127.0.0.1:1/sse' }).end();
      else if (request.url === '/sse') {
        transport = new SSEServerTransport('/messages', response);
        const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
        server.setRequestHandler(ListToolsRequestSchema, () => ({
          tools: [{ name: 'double', inputSchema: { type: 'object', properties: { n: { type: 'integer' } } } }],
        }));
        server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
          content: [{ type: 'text', text: String(2 * Number(params.arguments?.n)) }],
        }));
        await server.connect(transport);
      } else await transport?.handlePostMessage(request, response);
    });
    const url = await new Promise<string>((resolve) =>
      host.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(host.address() as AddressInfo).port}`)),
    );
    const server = streamServer(`${url}/sse`);
    const app = await McpApp.connect('Tools', server);
    new AppWorld({ now: () => 0, seed: 1 }).add(app);
    expect(await called(app, 'double', { n: 21 })).toBe('42');
    await server.close();
    await expect(McpApp.connect('Tools', streamServer(`${url}/away`))).rejects.toThrow('not followed');
    host.closeAllConnections();
    host.close();
  });
});
