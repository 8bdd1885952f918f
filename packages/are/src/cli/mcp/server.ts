// The server of `are serve`: a Model Context Protocol server with the tools of a scenario's apps, like the reference's. The client that
// calls them plays one run; messages of the user and the apps come with the answers.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { agentTools, messagesText } from '../../agents/react/prompt.ts';
import type { RemoteAgent, RemoteResult } from '../../agents/remote.ts';
import { argsOfJson, inputSchema } from '../../apps/mcp/schema.ts';
import { publicName } from '../../catalogue.ts';
import type { App, Tool } from '../../types.ts';
import { plain, type Values } from '../../value.ts';

/** Most bytes of a client's message, and most characters of a text that is sent to it. */
export const MAX_MESSAGE = 2 ** 20;
const MAX_TEXT = 256_000;

const READ = 'lab__read_messages';
const INSTRUCTIONS = [
  `Call ${READ} first: it says what the user wants. Then act by the apps' tools.`,
  'Write to the user with AgentUserInterface__send_message_to_user only when the task is done or cannot be done; that ends your turn.',
  'Where something is to happen later, use SystemApp__wait_for_notification. What happens meanwhile comes with the answers.',
].join('\n');

export interface Served {
  readonly name: string;
  readonly apps: readonly App[];
  readonly agent: RemoteAgent;
  /** Whether the apps' contents can be read as resources, which reveals more than the tools do. */
  readonly hasState: boolean;
}

interface Content {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: boolean;
}

/** Resolves once the client has left. */
export async function serveOverStdio(served: Served): Promise<void> {
  const server = serverOf(served);
  const gone = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  await server.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE }));
  await gone;
  await server.close();
}

export function serverOf({ name, apps, agent, hasState }: Served): Server {
  const server = new Server(
    { name: 'projected-grpo-lab', title: name, version: '1' },
    { capabilities: { tools: {}, prompts: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  const tools = new Map(agentTools(apps).map(({ app, tool }) => [publicName(app, tool), { app, tool }]));
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      { name: READ, description: 'What the user and the apps have said since you last read.', inputSchema: NOTHING },
      ...[...tools].map(([toolName, { app, tool }]) => toolEntry(toolName, app, tool)),
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<Content> => {
    if (params.name === READ) return answerContent(await agent.messages(), null);
    const found = tools.get(params.name);
    if (!found) return errorContent(`There is no tool ${params.name.slice(0, 200)}.`);
    const args = argsOfJson(found.tool, (params.arguments ?? {}) as Values);
    return answerContent(await agent.call(found.app.name, found.tool.name, args), found.tool);
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: [{ name: 'rules', description: 'How a scenario is played.' }],
  }));
  server.setRequestHandler(GetPromptRequestSchema, () => ({
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: INSTRUCTIONS } }],
  }));
  const resources = resourcesOf(apps, tools.keys(), hasState);
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [...resources.keys()].map((uri) => ({ uri, name: uri, mimeType: JSON_TYPE })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const read = resources.get(uri);
    if (!read) throw new Error(`There is no resource ${uri.slice(0, 200)}.`);
    return { contents: [{ uri, mimeType: JSON_TYPE, text: truncated(JSON.stringify(read())) }] };
  });
  return server;
}

const JSON_TYPE = 'application/json';
const NOTHING = { type: 'object' as const, properties: {} };

function toolEntry(name: string, app: App, tool: Tool) {
  return {
    name,
    description: `[${app.name}] ${tool.about.trim()}`,
    inputSchema: inputSchema(tool) as { type: 'object' },
    annotations: { readOnlyHint: tool.operation !== 'WRITE' },
  };
}

/** Names are the reference's. */
function resourcesOf(apps: readonly App[], tools: Iterable<string>, hasState: boolean): Map<string, () => unknown> {
  const names = [...tools];
  const of = (app: App) => names.filter((name) => name.startsWith(`${app.name}__`));
  const info = (app: App) => ({ name: app.name, tools: of(app), tool_count: of(app).length });
  const all = () => ({ apps: apps.map(info), app_count: apps.length, total_tool_count: names.length });
  return new Map<string, () => unknown>([
    ['app://info', all],
    ...apps.map((app): [string, () => unknown] => [`app://${app.name}/info`, () => info(app)]),
    ...(hasState ? apps : []).map((app): [string, () => unknown] => [
      `app://${app.name}/state`,
      () => app.getState() ?? {},
    ]),
  ]);
}

function answerContent({ step, messages, isOver }: RemoteResult, tool: Tool | null): Content {
  const lines = messagesText(messages, false);
  if (isOver) lines.push('The scenario is over; no call does anything any more.');
  if (tool === null) return { content: texts(lines.length > 0 ? lines : ['Nothing new.']) };
  if (step === null) return { content: texts(lines), isError: true };
  const { outcome } = step;
  if ('error' in outcome)
    return { content: texts([`${outcome.error.kind}: ${outcome.error.message}`, ...lines]), isError: true };
  const value = plain(outcome.value);
  const text = tool.tells?.(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
  return { content: texts([text, ...lines]) };
}

const errorContent = (text: string): Content => ({ content: texts([text]), isError: true });
const texts = (lines: readonly string[]): Content['content'] =>
  lines.map((line) => ({ type: 'text' as const, text: truncated(line) }));
const truncated = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}… (${text.length} characters; ask for less)`;
