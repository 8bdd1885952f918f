// `are serve --port`: the same server by HTTP, on this machine alone. /mcp is Streamable HTTP, the protocol's current transport, whose
// answers are streams of events; /sse and /messages are the older transport (SSE), which the SDK calls deprecated and frameworks still use.
// Only the first client plays.
import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { MAX_MESSAGE, type Served, serverOf } from './server.ts';

export interface Listening {
  readonly base: string;
  /** Resolves once the client has left. */
  readonly gone: Promise<void>;
  close(): Promise<void>;
}

/** Most connections at once; most bytes that a client has not read. */
const MAX_CONNECTIONS = 16;
const MAX_UNREAD = 16 * 2 ** 20;
const MESSAGES = '/messages';

/** @param idleSeconds seconds without a request after which the client counts as gone */
export async function serveOverHttp(served: Served, port: number, idleSeconds: number): Promise<Listening> {
  const host = createServer({ requestTimeout: 60_000, headersTimeout: 20_000, maxHeaderSize: 16_384 });
  boundConnections(host);
  await new Promise<void>((resolve, reject) => {
    host.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      reject(isTaken ? new SpecError(`Port ${port} cannot be had (${error.code}).`, 'Name another, or 0.') : error);
    });
    host.listen(port, '127.0.0.1', resolve);
  });
  const own = (host.address() as AddressInfo).port;
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

/** Idle connections are closed to make room for new ones; connections with a request under way are never closed for others. */
function boundConnections(host: HttpServer): void {
  /** Number of requests under way, by connection, the oldest first. */
  const asking = new Map<Socket, number>();
  host.on('connection', (socket) => {
    if (asking.size >= MAX_CONNECTIONS) {
      const idle = [...asking].find(([, count]) => count === 0);
      if (!idle) return void socket.destroy();
      asking.delete(idle[0]);
      idle[0].destroy();
    }
    asking.set(socket, 0);
    socket.once('close', () => asking.delete(socket));
  });
  const count = (socket: Socket, more: number) => {
    const before = asking.get(socket);
    if (before !== undefined) asking.set(socket, before + more);
  };
  host.on('request', ({ socket }, response) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  });
}

/** The session of the one client. */
class Session {
  readonly gone: Promise<void>;
  private leave: () => void = () => {};
  private sse: { transport: SSEServerTransport; stream: ServerResponse } | null = null;
  /** Belongs to nobody until a client begins a session with it. */
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
    if (!isFromHere(request, this.port)) return refuse(response, 403, 'Asked by another name or from another origin.');
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
      // The SDK's handler types differ from the transport's by `undefined` alone.
      await this.connect(this.mcp as Transport);
    }
    await this.mcp.handleRequest(request, response, body ?? undefined);
  }

  private async connect(transport: Transport): Promise<void> {
    this.server = serverOf(this.served);
    this.server.onclose = () => this.leave();
    await this.server.connect(transport);
  }

  /** A client that has played and has no request or open stream for long counts as gone: Streamable HTTP has no other sign. */
  private begin(response: ServerResponse): void {
    this.underWay++;
    if (this.idle) clearTimeout(this.idle);
    response.once('close', () => {
      if (--this.underWay > 0) return;
      this.idle = setTimeout(() => this.isTaken && this.leave(), this.idleMs).unref();
    });
  }
}

/** Refuses a page of another site, and a foreign host name that resolves to this machine. */
function isFromHere({ rawHeaders, headers }: IncomingMessage, port: number): boolean {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const hosts = ['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`);
  const { host, origin } = headers;
  if (names.filter((name) => name === 'host').length !== 1 || !hosts.includes(host ?? '')) return false;
  return origin === undefined || origin === `http://${host}`;
}

/** undefined if the request was refused. */
async function bodyOf(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    return refuse(response, 415, 'A message is application/json.');
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request) {
    length += (part as Uint8Array).length;
    if (length > MAX_MESSAGE) {
      response.setHeader('connection', 'close');
      return refuse(response, 413, `A message has at most ${MAX_MESSAGE} bytes.`);
    }
    parts.push(part as Uint8Array);
  }
  try {
    return parseJsonText(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)));
  } catch {
    return refuse(response, 400, 'A message is JSON.');
  }
}

function refuse(response: ServerResponse, status: number, why: string): undefined {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
}
