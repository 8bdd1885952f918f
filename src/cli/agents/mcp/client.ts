// MCP servers that are no HTTP address: a command that is started and spoken to by its standard input and output, and the older form by a
// stream of events (SSE). The protocol's own SDK speaks to them; loaded when one is named.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  answerOf,
  type McpAnswer,
  McpError,
  type McpServer,
  type McpTool,
  readTool,
} from '@projected-grpo-lab/are/apps/mcp/client.ts';
import type { Values } from '@projected-grpo-lab/are/value.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';

/** Milliseconds: to connect, as in the reference, and to answer. */
const CONNECT_WITHIN = 30_000;
const ANSWER_WITHIN = 10_000;
const MAX_PAGES = 50;
/** Bytes of a message. */
const MAX_MESSAGE = 16 * 2 ** 20;

/** What the SDK gives was JSON; its types have no index signature, as plain values do. */
const plain = (given: object): Values => given as unknown as Values;

class SdkServer implements McpServer {
  private readonly client = new Client({ name: 'projected-grpo-lab', version: '1' });

  constructor(
    private readonly shown: string,
    private readonly transport: Transport,
  ) {}

  connect(): Promise<void> {
    return this.named('connect', () => this.client.connect(this.transport, { timeout: CONNECT_WITHIN }));
  }

  close(): Promise<void> {
    return this.client.close();
  }

  tools(): Promise<McpTool[]> {
    return this.named('tools/list', async () => {
      const found: McpTool[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const { tools, nextCursor } = await this.client.listTools(cursor === undefined ? {} : { cursor }, WITHIN);
        found.push(...tools.map((tool) => readTool(plain(tool))));
        if (nextCursor === undefined) return found;
        cursor = nextCursor;
      }
      throw new Error(`more than ${MAX_PAGES} pages of tools`);
    });
  }

  call(name: string, args: Values): Promise<McpAnswer> {
    return this.named('tools/call', async () =>
      answerOf(plain(await this.client.callTool({ name, arguments: args }, undefined, WITHIN))),
    );
  }

  ask(method: 'resources/list' | 'prompts/list' | 'resources/read', params: Values): Promise<Values> {
    return this.named(method, async () => {
      const { client } = this;
      if (method === 'resources/list') return plain(await client.listResources(params, WITHIN));
      if (method === 'prompts/list') return plain(await client.listPrompts(params, WITHIN));
      return plain(await client.readResource({ uri: String(params.uri) }, WITHIN));
    });
  }

  private async named<T>(method: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw new McpError(`${this.shown}: ${method}: ${(error as Error).message}`, { cause: error });
    }
  }
}

const WITHIN = { timeout: ANSWER_WITHIN };

/** @param line a command and its arguments, parted by spaces; one with a space is in double quotes. No shell reads it. */
export function commandServer(line: string): SdkServer {
  const [command, ...args] = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  if (!command) throw new SpecError('--mcp-command names no command.', 'Give one such as "python server.py".');
  const transport = new StdioClientTransport({ command, args, stderr: 'ignore', maxBufferSize: MAX_MESSAGE });
  return new SdkServer(command, transport);
}

/** To the address that is named and nowhere else, as with a server by HTTP. */
export function streamServer(url: string): SdkServer {
  const direct = async (to: string | URL, init?: RequestInit) => {
    if (new URL(to).origin !== new URL(url).origin) throw new Error(`it sends requests on to ${new URL(to).origin}`);
    const response = await fetch(to, { ...init, redirect: 'manual', credentials: 'omit' });
    if (response.status >= 300 && response.status < 400) throw new Error('it sends requests on, which is not followed');
    return response;
  };
  return new SdkServer(url, new SSEClientTransport(new URL(url), { fetch: direct }));
}
