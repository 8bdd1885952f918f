// `are serve --port`: the same server by HTTP, only on this machine. /mcp is Streamable HTTP, the protocol's current transport, whose
// answers are streams of events; /sse and /messages are the older transport (SSE), which the SDK deprecates and frameworks still use. Only
// the first client plays.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { BodyError, boundServer, hostOf, jsonBody, listenAt } from '@projected-grpo-lab/base/http-server.node.ts';
import { MAX_MESSAGE, type Served, serverOf } from './server.ts';

export interface Listening {
  readonly base: string;
  /** Resolves once the client has left. */
  readonly gone: Promise<void>;
  close(): Promise<void>;
}

/** Most simultaneous connections; most bytes that a client has not read. */
const MAX_CONNECTIONS = 16;
const MAX_UNREAD = 16 * 2 ** 20;
const MESSAGES = '/messages';

/** @param idleSeconds seconds without a request after which the client counts as gone */
export async function serveOverHttp(served: Served, port: number, idleSeconds: number): Promise<Listening> {
  const host = boundServer(MAX_CONNECTIONS);
  const own = await listenAt(host, port, '127.0.0.1');
  const session = new Session(served, own, 1000 * idleSeconds);
  host.on('request', (request, response) => {
    session.take(request, response).catch(() => {
      if (!response.headersSent) refuse(response, 400, 'The request cannot be read.');
      else response.destroy();
    });
  });
  const close = async () => {
    await session.close();
    host.closeAllConnections();
    await new Promise((resolve) => host.close(resolve));
  };
  return { base: `http://127.0.0.1:${own}`, gone: session.gone, close };
}

/** The session of the only client. */
class Session {
  readonly gone: Promise<void>;
  private leave: () => void = () => {};
  private sse: { transport: SSEServerTransport; stream: ServerResponse } | null = null;
  /** Unclaimed until a client starts a session with it. */
  private mcp: StreamableHTTPServerTransport | null = null;
  private server: McpServer | null = null;
  private isTaken = false;
  private underWay = 0;
  private idle: NodeJS.Timeout | null = null;

  constructor(
    private readonly served: Served,
    private readonly port: number,
    private readonly idleMs: number,
  ) {
    this.gone = new Promise((resolve) => {
      this.leave = resolve;
    });
  }

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLocalRequest(request, this.port))
      return refuse(response, 403, 'Asked by another name or from another origin.');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const { method } = request;
    this.begin(response);
    if (pathname === '/mcp') return this.streamable(request, response);
    if (pathname === '/sse' && method === 'GET') return this.openStream(response);
    if (pathname !== MESSAGES || method !== 'POST') return refuse(response, 404, 'There is /mcp, /sse and /messages.');
    const { sse } = this;
    if (!sse || searchParams.get('sessionId') !== sse.transport.sessionId)
      return refuse(response, 404, 'There is no such session.');
    if (sse.stream.writableLength > MAX_UNREAD) {
      sse.stream.destroy();
      return refuse(response, 429, 'The stream of answers is not read.');
    }
    const body = await bodyOf(request, response);
    if (body !== undefined) await sse.transport.handlePostMessage(request, response, body);
  }

  async close(): Promise<void> {
    if (this.idle) clearTimeout(this.idle);
    await this.server?.close();
  }

  private async openStream(response: ServerResponse): Promise<void> {
    if (this.isTaken) return refuse(response, 409, 'Another client plays.');
    this.isTaken = true;
    const transport = new SSEServerTransport(MESSAGES, response);
    this.sse = { transport, stream: response };
    await this.connect(transport);
  }

  private async streamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isTaken && !this.mcp?.sessionId) return refuse(response, 409, 'Another client plays.');
    if (this.isTaken && request.headers['mcp-session-id'] === undefined)
      return refuse(response, 409, 'Another client plays.');
    const body = request.method === 'POST' ? await bodyOf(request, response) : null;
    if (body === undefined) return;
    if (this.mcp === null) {
      this.mcp = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: () => {
          this.isTaken = true;
        },
        onsessionclosed: () => this.leave(),
      });
      // The SDK's handler types differ from the transport's only by `undefined`.
      await this.connect(this.mcp as Transport);
    }
    await this.mcp.handleRequest(request, response, body ?? undefined);
  }

  private async connect(transport: Transport): Promise<void> {
    this.server = serverOf(this.served);
    this.server.onclose = () => this.leave();
    await this.server.connect(transport);
  }

  /** A client that has played and then has no request or open stream for some time counts as gone: Streamable HTTP has no other sign. */
  private begin(response: ServerResponse): void {
    this.underWay++;
    if (this.idle) clearTimeout(this.idle);
    response.once('close', () => {
      if (--this.underWay > 0) return;
      this.idle = setTimeout(() => this.isTaken && this.leave(), this.idleMs).unref();
    });
  }
}

/** Refuses requests from another site, and a foreign host name that resolves to this machine. */
function isLocalRequest(request: IncomingMessage, port: number): boolean {
  const host = hostOf(request);
  const { origin } = request.headers;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return false;
  return origin === undefined || origin === `http://${host}`;
}

/** Undefined if the request was refused. */
async function bodyOf(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  try {
    return await jsonBody(request, MAX_MESSAGE);
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    if (error.status === 413) response.setHeader('connection', 'close');
    return refuse(response, error.status, error.message);
  }
}

function refuse(response: ServerResponse, status: number, why: string): undefined {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
}
