// MCP servers without Streamable HTTP: a command that communicates by standard input and output, and the older transport with a stream of
// events (SSE). The protocol's own SDK carries the messages; errors have the same words as for HTTP (apps/mcp/server.ts), since the SDK's
// are for programmers. Loaded only if such a server is named.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type ClientRequest, ErrorCode, ResultSchema, McpError as SdkError } from '@modelcontextprotocol/sdk/types.js';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { causeOf } from '@projected-grpo-lab/base/http.ts';
import { McpConnection, McpError, requestWords } from '../../apps/mcp/server.ts';
import type { Values } from '../../value.ts';

/** Milliseconds: to connect, as in the reference, and to answer. */
const CONNECT_WITHIN = 30_000;
const ANSWER_WITHIN = 10_000;
/** Most bytes of a message. */
const MAX_MESSAGE = 16 * 2 ** 20;
/** Most characters of a server's own output in an error message. */
const MOST_OUTPUT = 400;

const COMMAND_REMEDY =
  'Check that the command starts an MCP server: its messages go to standard output, a line each, and all else to standard error.';
const STREAM_REMEDY =
  'Check that the server runs and speaks SSE at this address; one of Streamable HTTP is named with --mcp URL.';

export class SdkServer extends McpConnection {
  private readonly client = new Client({ name: 'projected-grpo-lab', version: '1' });
  private isOver = false;
  /** Whether an error message has already reported the failure. */
  hasFailed = false;
  /** The first line of a command's standard output that is no message; null if there was none. */
  noise: string | null = null;
  /** The end of what a command wrote to standard error. */
  private errors = '';

  constructor(
    shown: string,
    private readonly transport: Transport,
    private readonly remedy: string,
    /** Time limits in milliseconds. */
    private readonly within = { connect: CONNECT_WITHIN, answer: ANSWER_WITHIN },
  ) {
    super(shown);
    this.client.onclose = () => {
      this.isOver = true;
    };
    if (transport instanceof StdioClientTransport) {
      this.client.onerror = (error) => {
        this.noise ??= lineIn(error);
      };
      transport.stderr?.on('data', (chunk: Uint8Array) => {
        this.errors = (this.errors + Buffer.from(chunk).toString('utf8')).slice(-4 * MOST_OUTPUT);
      });
    }
  }

  async connect(): Promise<void> {
    try {
      await this.client.connect(this.transport, { timeout: this.within.connect });
    } catch (error) {
      throw this.failed('initialize', error, this.within.connect, true);
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }

  protected async request(method: string, params: Values): Promise<Values> {
    try {
      // The request is valid by the protocol; the SDK's types cover only requests that it checks itself.
      const request = { method, params } as unknown as ClientRequest;
      // The SDK's result was JSON; its types lack the index signature of plain values.
      return (await this.client.request(request, ResultSchema, { timeout: this.within.answer })) as unknown as Values;
    } catch (error) {
      // The agent's error message excludes the server's output for people.
      throw this.failed(requestWords(method, params), error, this.within.answer, method !== 'tools/call');
    }
  }

  private failed(what: string, error: unknown, withinMs: number, isForPeople: boolean): McpError {
    this.hasFailed = true;
    const why = this.why(error, withinMs);
    const text = isForPeople && /ended|answered after/.test(why) ? this.serverOutput() : '';
    return new McpError(`${this.shown}: ${what}: ${why}.${text}`, this.remedy, { cause: error });
  }

  private why(error: unknown, withinMs: number): string {
    const { code, message } = error as { code?: unknown; message: string };
    if (code === 'ENOENT' || code === 'EACCES') return `the command cannot be started (${code})`;
    if (error instanceof SdkError && code === ErrorCode.RequestTimeout && isTimeout(error))
      return `the server had not answered after ${withinMs / 1000} s`;
    if (this.isOver) return 'the server has ended';
    if (error instanceof SdkError)
      return `the server answered with an error: ${plainWords(error)} (code ${error.code})`;
    const cause = causeOf(error);
    return `${message}${message.includes(cause) ? '' : ` (${cause})`}`;
  }

  /** The server's output that was not reported yet, which usually tells why it failed. */
  private serverOutput(): string {
    const { noise, errors } = this;
    const last = errors.trim().split('\n').slice(-3).join(' | ').slice(-MOST_OUTPUT);
    return [
      noise === null ? '' : ` It wrote to standard output what is no message: ${noise}.`,
      last === '' ? '' : ` It wrote to standard error: ${last}`,
    ].join('');
  }
}

const isTimeout = ({ data }: SdkError): boolean => typeof data === 'object' && data !== null && 'timeout' in data;

const plainWords = ({ message }: SdkError): string => message.replace(/^MCP error -?\d+: /, '').slice(0, MOST_OUTPUT);

/** The start of the line that the SDK could not parse; the SDK reports no more. */
function lineIn(error: Error): string {
  if (error instanceof SyntaxError) return /"(.*)"(?:\.\.\.)? is not valid JSON/s.exec(error.message)?.[1] ?? 'a text';
  if (/maximum size/.test(error.message)) return `a line of more than ${MAX_MESSAGE} bytes`;
  return 'JSON that is no message of the protocol';
}

/** @param line a command and its arguments, separated by spaces; an argument with spaces is in double quotes. No shell is involved. */
export function commandServer(line: string, within?: { connect: number; answer: number }): SdkServer {
  const [command, ...args] = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  if (!command) throw new SpecError('--mcp-command names no command.', 'Give one such as "python server.py".');
  const transport = new StdioClientTransport({ command, args, stderr: 'pipe', maxBufferSize: MAX_MESSAGE });
  return new SdkServer(command, transport, COMMAND_REMEDY, within);
}

/** Connects only to the named address, as for a server by HTTP. */
export function streamServer(url: string): SdkServer {
  const direct = async (to: string | URL, init?: RequestInit) => {
    if (new URL(to).origin !== new URL(url).origin) throw new Error(`it sends requests on to ${new URL(to).origin}`);
    const response = await fetch(to, { ...init, redirect: 'manual', credentials: 'omit' });
    if (response.status >= 300 && response.status < 400) throw new Error('it sends requests on, which is not followed');
    return response;
  };
  return new SdkServer(url, new SSEClientTransport(new URL(url), { fetch: direct }), STREAM_REMEDY);
}
