// A client of a Model Context Protocol server over HTTP: JSON-RPC by POST, answered as JSON or as a stream of events. It speaks to a
// server that the user runs and names; nothing else in the lab makes one.
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { type Posted, post, ServerError } from '@projected-grpo-lab/base/http.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type { Value, Values } from '../../value.ts';

const VERSION = '2025-03-26';
const ACCEPT = 'application/json, text/event-stream';
/** Milliseconds. */
const ANSWER_WITHIN = 10_000;
/** Pages of tools; a server that turns them forever is stopped. */
const MAX_PAGES = 50;

/** A server that does not answer as the protocol says. */
export class McpError extends LabError {
  constructor(what: string, options?: ErrorOptions) {
    super(what, 'Start the server, allow this page in its CORS settings, and give its address with the path.', options);
  }
}

export interface McpTool {
  name: string;
  description: string;
  inputSchema: Values;
  /** Whether it changes nothing; null where the server does not say. */
  isReadOnly: boolean | null;
}

export interface McpAnswer {
  text: string;
  isError: boolean;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What an app needs of a server, however it is spoken to. Each throws McpError. */
export interface McpServer {
  connect(): Promise<void>;
  tools(): Promise<McpTool[]>;
  call(name: string, args: Values): Promise<McpAnswer>;
  ask(method: 'resources/list' | 'prompts/list' | 'resources/read', params: Values): Promise<Values>;
}

export class McpClient implements McpServer {
  private session: string | null = null;
  private count = 0;

  constructor(
    private readonly url: string,
    private readonly fetcher: Fetch = fetch,
    private readonly withinMs: number = ANSWER_WITHIN,
  ) {}

  async connect(): Promise<void> {
    const clientInfo = { name: 'projected-grpo-lab', version: '1' };
    await this.request('initialize', { protocolVersion: VERSION, capabilities: {}, clientInfo });
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async tools(): Promise<McpTool[]> {
    const found: McpTool[] = [];
    let cursor: Value = null;
    for (let page = 0; page < MAX_PAGES; page++) {
      const { tools, nextCursor }: Values = await this.request('tools/list', cursor === null ? {} : { cursor });
      for (const tool of Array.isArray(tools) ? (tools as readonly Value[]) : []) found.push(readTool(tool));
      if (typeof nextCursor !== 'string') return found;
      cursor = nextCursor;
    }
    throw new McpError(`${this.url} lists more than ${MAX_PAGES} pages of tools`);
  }

  async call(name: string, args: Values): Promise<McpAnswer> {
    return answerOf(await this.request('tools/call', { name, arguments: args }));
  }

  ask(method: 'resources/list' | 'prompts/list' | 'resources/read', params: Values): Promise<Values> {
    return this.request(method, params);
  }

  private async request(method: string, params: Values): Promise<Values> {
    const id = ++this.count;
    const { headers, text } = await this.post({ jsonrpc: '2.0', id, method, params });
    const isStream = headers.get('content-type')?.includes('text/event-stream') ?? false;
    const message = (isStream ? eventsOf(text) : [text]).map(parsed).find((one) => one?.id === id);
    if (isValues(message?.result)) return message.result;
    const why = isValues(message?.error) ? String(message.error.message) : 'no answer to the request';
    throw new McpError(`${this.url}: ${method}: ${why}`);
  }

  private async post(message: Values): Promise<Posted> {
    const session = this.session === null ? null : { 'mcp-session-id': this.session };
    const headers = { 'content-type': 'application/json', accept: ACCEPT, ...session };
    const body = JSON.stringify(message);
    let found: Posted;
    try {
      found = await post(this.url, { headers, body, withinMs: this.withinMs, fetch: this.fetcher });
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      throw new McpError(error.message, { cause: error });
    }
    if (found.status < 200 || found.status > 299)
      throw new McpError(`${this.url} answered with status ${found.status}`);
    this.session = found.headers.get('mcp-session-id') ?? this.session;
    return found;
  }
}

const isValues = (value: Value | undefined): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): Values | undefined {
  try {
    const value = parseJsonText(text) as Value;
    return isValues(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The data of each event of a stream. */
const eventsOf = (text: string): string[] =>
  text.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).trimStart())
      .join('\n'),
  );

/** The parts of an answer as one text. */
export function answerOf({ content, isError }: Values): McpAnswer {
  const texts = (Array.isArray(content) ? (content as readonly Value[]) : []).map((part) =>
    isValues(part) && typeof part.text === 'string' ? part.text : JSON.stringify(part),
  );
  return { text: texts.join('\n'), isError: isError === true };
}

export function readTool(value: Value): McpTool {
  if (!isValues(value) || typeof value.name !== 'string') throw new McpError('a tool of the server has no name');
  const { name, description, inputSchema, annotations } = value;
  const hint = isValues(annotations) ? annotations.readOnlyHint : undefined;
  return {
    name,
    description: typeof description === 'string' ? description : '',
    inputSchema: isValues(inputSchema) ? inputSchema : {},
    isReadOnly: typeof hint === 'boolean' ? hint : null,
  };
}
