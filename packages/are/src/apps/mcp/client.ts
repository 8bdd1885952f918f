// A client of a Model Context Protocol server over HTTP: JSON-RPC by POST, answered as JSON or as a stream of events. It talks only to the
// server that the user names.
import { type Posted, post, ServerError } from '@projected-grpo-lab/base/http.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { isHtml, reasonOf } from '@projected-grpo-lab/base/reason.ts';
import type { Value, Values } from '../../value.ts';
import { isValues } from './json-schema.ts';
import { McpConnection, McpError, requestWords } from './server.ts';

const VERSION = '2025-03-26';
const ACCEPT = 'application/json, text/event-stream';
/** Time limit of an answer in milliseconds. */
const ANSWER_WITHIN = 10_000;
const REMEDY =
  'Check that the server runs, speaks Streamable HTTP, and that the address has its path, such as http://localhost:3001/mcp.';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export class McpClient extends McpConnection {
  private session: string | null = null;
  private count = 0;

  /** @param remedy advice to the user if the server cannot be reached */
  constructor(
    private readonly url: string,
    private readonly fetcher: Fetch = fetch,
    private readonly withinMs: number = ANSWER_WITHIN,
    private readonly remedy: string = REMEDY,
  ) {
    super(url);
  }

  async connect(): Promise<void> {
    const clientInfo = { name: 'projected-grpo-lab', version: '1' };
    await this.request('initialize', { protocolVersion: VERSION, capabilities: {}, clientInfo });
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  protected async request(method: string, params: Values): Promise<Values> {
    const id = ++this.count;
    const { headers, text } = await this.post({ jsonrpc: '2.0', id, method, params });
    const isStream = headers.get('content-type')?.includes('text/event-stream') ?? false;
    const messages = (isStream ? eventsOf(text) : [text]).flatMap(messagesIn);
    const message = messages.find((one) => one.id === id);
    if (isValues(message?.result)) return message.result;
    const what = `${this.url}: ${requestWords(method, params)}: `;
    if (isValues(message?.error)) {
      const { code = null } = message.error;
      const reason = reasonOf(JSON.stringify(message.error));
      throw new McpError(
        `${what}the server answered with an error: ${reason}${code === null ? '' : ` (code ${code})`}`,
      );
    }
    if (isHtml(text)) throw new McpError(`${what}it answered with ${reasonOf(text)}`, this.remedy);
    throw new McpError(
      `${what}its answer has no result for the request${text.trim() === '' ? '; it is empty' : `: ${reasonOf(text)}`}`,
      this.remedy,
    );
  }

  private async post(message: Values): Promise<Posted> {
    const session = this.session === null ? null : { 'mcp-session-id': this.session };
    const headers = { 'content-type': 'application/json', accept: ACCEPT, ...session };
    const body = JSON.stringify(message);
    const what = requestWords(String(message.method), isValues(message.params) ? message.params : {});
    let found: Posted;
    try {
      found = await post(this.url, { headers, body, withinMs: this.withinMs, fetch: this.fetcher });
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      throw new McpError(`${what}: ${error.message}`, this.remedy, { cause: error });
    }
    const { status, text } = found;
    if (status < 200 || status > 299) {
      const reason = reasonOf(text);
      throw new McpError(
        `${what}: ${this.url} answered with status ${status}${reason === '' ? '' : `: ${reason}`}`,
        status === 401 || status === 403 ? `The server wants a key or another origin. ${this.remedy}` : this.remedy,
      );
    }
    this.session = found.headers.get('mcp-session-id') ?? this.session;
    return found;
  }
}

/** Parses one message or a list of them. */
function messagesIn(text: string): Values[] {
  try {
    const value = parseJsonText(text) as Value;
    return (Array.isArray(value) ? (value as readonly Value[]) : [value]).filter(isValues);
  } catch {
    return [];
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
