// Tests runs with an MCP server over HTTP and with experts. Viewing or editing a run reuses their stored answers and asks nobody again for
// what came before the edit.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serverAt } from '@projected-grpo-lab/are/apps/mcp/kept-tools.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { atOnce } from '@projected-grpo-lab/base/parts.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentAnswer, AgentQuestion, Recipe } from '../protocol/agents.ts';
import { memoryAgents, recordingHost } from '../testing/agents.ts';
import { openAgents } from './client.ts';
import { playRecipe, statesAt } from './play.ts';
import { loadFromSource } from './scenario.ts';

const which = { split: 'execution', seed: 1, index: 0, isSmall: true, part: 'training' } as const;
const scenario = atOnce(loadFromSource({ kind: 'generated', which }, 'usual'));
const RECIPE: Recipe = {
  agent: 'react',
  seed: 0,
  noise: 'none',
  window: 'usual',
  maxSteps: 6,
  edits: [],
  temperature: 0,
  known: null,
  a2a: 0,
  mcp: null,
};

/** An MCP server with one tool that counts its calls; other addresses redirect or speak the older protocol. */
const called: string[] = [];
const host = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += String(chunk);
  });
  request.on('end', () => {
    if (request.url === '/away') return void response.writeHead(307, { location: 'http://127.0.0.1:1/mcp' }).end();
    if (request.url === '/sse') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (method === 'tools/call') called.push(JSON.stringify(params.arguments));
    const schema = { type: 'object', properties: { n: { type: 'integer' } } };
    const result = {
      initialize: {},
      'tools/list': { tools: [{ name: 'double', inputSchema: schema, annotations: { readOnlyHint: true } }] },
      'tools/call': { content: [{ type: 'text', text: `${2 * Number(params?.arguments?.n)}, call ${called.length}` }] },
    }[method as 'initialize'];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
});
let address = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
});
afterAll(() => void host.close());

const action = (name: string, input: object) =>
  `Thought: x\nAction:\n{"action": "${name}", "action_input": ${JSON.stringify(input)}}`;
const DONE = action('AgentUserInterface__send_message_to_user', { content: 'Done.' });

function answering(...texts: string[]) {
  const recording = recordingHost();
  const asked: AgentQuestion[] = [];
  const page = {
    ...recording.host,
    ready: async () => 'm',
    write: async (one: AgentQuestion): Promise<AgentAnswer> => {
      asked.push(one);
      return { text: texts[Math.min(asked.length, texts.length) - 1] as string, inputTokens: 1, outputTokens: 1 };
    },
  };
  return { asked, entries: recording.entries, host: page };
}

it('gives the agent the tools of an MCP server; viewing an entry repeats no call, an edit only those after it', async () => {
  const recipe = { ...RECIPE, mcp: `${address}/mcp` };
  const page = answering(action('MCPApp__double', { n: 21 }), action('MCPApp__double', { n: 4 }), DONE);
  const played = await playRecipe(scenario, recipe, page);
  const results = () =>
    page.entries.flatMap((entry) => (entry.kind === 'call' && entry.app === 'MCPApp' ? [entry.outcome] : []));
  expect(results()).toEqual([{ value: '42, call 1' }, { value: '8, call 2' }]);
  expect(JSON.stringify(page.asked[0]?.ask)).toContain('MCPApp__double');
  expect(played.view.tools).toContainEqual({ app: 'MCPApp', tool: 'double', takes: 'n: int | None = None' });
  const place = page.entries.length - 1;
  expect((await statesAt(scenario, played, place))?.map(({ name }) => name)).toContain('MCPApp');
  expect(called).toEqual(['{"n":21}', '{"n":4}']);
  // Only the second call was edited: the first is not made again.
  const call = { app: 'MCPApp', tool: 'double', args: '{"n": 5}', thought: '' };
  const known = { acts: [played.view.acts[0] ?? null, call], goesOn: true };
  const edited = { ...recipe, edits: [{ at: 1, ...call }], known };
  await playRecipe(scenario, edited, { ...page, before: played.kept });
  expect(results()).toEqual([{ value: '42, call 1' }, { value: '10, call 3' }]);
  expect(called).toEqual(['{"n":21}', '{"n":4}', '{"n":5}']);
});

it('is exported with the answers of the server’s tools, and opened again', async () => {
  const page = answering(action('MCPApp__double', { n: 1 }), DONE);
  const worker = openAgents(memoryAgents(), page.host);
  await worker.load({ source: { kind: 'generated', which }, window: 'usual' });
  const run = await worker.play({ recipe: { ...RECIPE, mcp: `${address}/mcp` } });
  const text = (await worker.exported(null)) as string;
  expect(text).toContain('MCPApp');
  expect(text).not.toContain(address);
  const again = await worker.load({ source: { kind: 'file', text, name: 'run.json' }, window: 'usual' });
  expect(again.held).toMatchObject({ agent: 'react', success: run.verdict.success });
  worker.close();
});

it('names a server’s fault: unreachable, redirecting, with the older transport, or a command', async () => {
  const refused = async (mcp: string) => {
    const error = await playRecipe(scenario, { ...RECIPE, mcp }, answering(DONE)).catch((raised: unknown) => raised);
    expect(error).toBeInstanceOf(SpecError);
    return `${(error as SpecError).message} ${(error as SpecError).remedy}`;
  };
  expect(await refused('http://127.0.0.1:1/mcp')).toMatch(/cannot be reached.*\(CORS\).*mcp-session-id/s);
  expect(await refused(`${address}/away`)).toMatch(/sends requests on.*not followed/s);
  expect(await refused(`${address}/sse`)).toMatch(/status 405.*--mcp-sse/s);
  expect(() => serverAt('python server.py')).toThrow(/python server\.py is not an http address\. .*stdio/);
  expect(() => serverAt('file:///etc/passwd')).toThrow(SpecError);
});

it('replaces apps by experts that use the agent’s own model; their acts are replayed without it', async () => {
  const page = answering(
    action('Emails__expert_agent', { task: 'List the mails.' }),
    // The next two turns are the expert's.
    action('Emails__list_emails', {}),
    action('AgentUserInterface__send_message_to_user', { content: 'There are some.' }),
    DONE,
  );
  const played = await playRecipe(scenario, { ...RECIPE, a2a: 1 }, page);
  const calls = page.entries.flatMap((entry) => (entry.kind === 'call' && entry.actor === 'agent' ? [entry] : []));
  expect(calls.map(({ tool, isInner }) => [tool, isInner])).toEqual([
    ['list_emails', true],
    ['expert_agent', false],
    ['send_message_to_user', false],
  ]);
  expect(calls[1]?.outcome).toEqual({ value: 'There are some.' });
  expect(page.asked.length).toBe(4);
  expect(played.view.tools.filter(({ app }) => app === 'Emails').map(({ tool }) => tool)).toEqual(['expert_agent']);
  const states = await statesAt(scenario, played, page.entries.length - 1);
  const own = played.environment.apps.map((app) => app.getState());
  expect(states?.map(({ state }) => state)).toEqual(own);
  expect(page.asked.length).toBe(4);
});
