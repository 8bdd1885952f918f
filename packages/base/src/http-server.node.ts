// An HTTP server for programs on this machine, with common rules: a given or free port, a limited number of connections, no requests by
// another host name or from another site, JSON bodies up to a size.
import { createServer, type Server as HttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SpecError } from './errors.ts';
import { parseJsonText } from './json.ts';

/** @param most simultaneous connections */
export function boundServer(most: number): HttpServer {
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000, maxHeaderSize: 16_384 });
  boundConnections(server, most);
  return server;
}

/** Resolves with the port, a free one if `port` is 0. Throws SpecError if it is not available. */
export async function listenAt(server: HttpServer, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      reject(isTaken ? new SpecError(`Port ${port} cannot be had (${error.code}).`, 'Name another, or 0.') : error);
    });
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Closes idle connections to make room for new ones; connections with a pending request are never closed for others. */
function boundConnections(server: HttpServer, most: number): void {
  /** Number of pending requests by connection, the oldest first. */
  const asking = new Map<Socket, number>();
  server.on('connection', (socket) => {
    if (asking.size >= most) {
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
  const listener: RequestListener = ({ socket }, response) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  };
  server.on('request', listener);
}

/** The host name of a request; null if it has none, or two. It reveals a foreign name that resolves to this machine. */
export function hostOf({ rawHeaders, headers }: IncomingMessage): string | null {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  return names.filter((name) => name === 'host').length === 1 ? (headers.host ?? null) : null;
}

/** A refused body, with its HTTP status. */
export class BodyError extends Error {
  constructor(
    readonly status: 400 | 413 | 415,
    message: string,
  ) {
    super(message);
  }
}

/** Reads a JSON body. Throws BodyError. `onBytes`: called with the size of each part. */
export async function jsonBody(
  request: IncomingMessage,
  maxBytes: number,
  onBytes: (count: number) => void = () => {},
): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new BodyError(415, 'A message is application/json.');
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request) {
    length += (part as Uint8Array).length;
    if (length > maxBytes) throw new BodyError(413, `A message has at most ${maxBytes} bytes.`);
    onBytes((part as Uint8Array).length);
    parts.push(part as Uint8Array);
  }
  try {
    return parseJsonText(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)));
  } catch {
    throw new BodyError(400, 'A message is JSON.');
  }
}
