// The relay's door: WebSockets of one protocol, from the origins that it was told, each with a token. What is not so is refused before a
// socket is open; what comes over one is bounded in size and number, and one message is answered after the other.
import { createServer as createPlain, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import {
  type FromRelay,
  type FromWorker,
  MOST,
  PROTOCOL,
  readFromWorker,
} from '../../experiments/sweep/relay/messages.ts';
import type { Looked } from './tokens.ts';

interface DoorPorts {
  origins: readonly string[];
  tls: { cert: Buffer; key: Buffer } | null;
  look(token: string): Promise<Looked>;
  /** Null: nothing is answered. */
  answer(worker: string, message: FromWorker): Promise<FromRelay | null>;
  left(worker: string): Promise<void>;
  note(line: string): void;
}

/** Messages of a socket within ten seconds. */
const MOST_MESSAGES = 100;
const WINDOW_MS = 10_000;
/** A socket that does not answer a ping until the next is gone; its token is looked at as often. */
const PING_MS = 5000;

export class Door {
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  readonly #ports: DoorPorts;
  /** One socket a worker. */
  readonly #open = new Map<string, { socket: WebSocket; token: string; isAlive: boolean }>();
  readonly #timer: NodeJS.Timeout;

  constructor(ports: DoorPorts) {
    this.#ports = ports;
    this.#server = ports.tls ? createTls(ports.tls) : createPlain();
    this.#server.headersTimeout = 10_000;
    this.#server.maxConnections = 2000;
    this.#sockets = new WebSocketServer({ noServer: true, maxPayload: MOST.done, handleProtocols: () => PROTOCOL });
    this.#server.on('request', (_, response) => {
      response.writeHead(426, { 'content-type': 'text/plain; charset=utf-8', upgrade: 'websocket' });
      response.end(
        'A relay of Projected GRPO Lab. It speaks with pages that were opened by a work link, and with nobody else.\n',
      );
    });
    this.#server.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket, head));
    this.#timer = setInterval(() => void this.#ping(), PING_MS);
  }

  get workers(): string[] {
    return [...this.#open.keys()];
  }

  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  /** To every socket that is open. */
  tellAll(message: FromRelay): void {
    const text = JSON.stringify(message);
    for (const { socket } of this.#open.values()) if (socket.readyState === socket.OPEN) socket.send(text);
  }

  close(worker: string, reason: string): void {
    // 1008: the token's own fault, so that the page does not try again.
    this.#open.get(worker)?.socket.close(1008, reason.slice(0, 100));
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    for (const { socket } of this.#open.values()) socket.close(1001, 'The relay ends.');
    await Promise.all([...this.#open.keys()].map((worker) => this.#ports.left(worker)));
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const refuse = (status: string, why: string): void => {
      this.#ports.note(`Refused (${status}): ${why}`);
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    };
    const { origin } = request.headers;
    if (!origin || !this.#ports.origins.includes(origin))
      return refuse(
        '403 Forbidden',
        `a page of ${JSON.stringify((origin ?? 'no origin').slice(0, 200))}; --origin names those that may`,
      );
    const [protocol, token = ''] = (request.headers['sec-websocket-protocol'] ?? '')
      .split(',')
      .map((part) => part.trim());
    if (protocol !== PROTOCOL || request.url !== '/') return refuse('400 Bad Request', 'a socket of another protocol');
    const looked = await this.#ports.look(token).catch(() => ({ worker: null, why: 'The queue does not answer.' }));
    const { worker, why } = looked;
    if (why !== null) return refuse('401 Unauthorized', `${worker ?? 'somebody'}: ${why}`);
    this.#sockets.handleUpgrade(request, socket, head, (open) => this.#welcome(open, worker as string, token));
  }

  #welcome(socket: WebSocket, worker: string, token: string): void {
    const before = this.#open.get(worker);
    before?.socket.close(1008, 'The same token was used again.');
    const own = { socket, token, isAlive: true };
    this.#open.set(worker, own);
    this.#ports.note(`${worker} is here.`);
    let seen: number[] = [];
    let queue: Promise<void> = before ? this.#ports.left(worker).catch(() => {}) : Promise.resolve();
    socket.on('pong', () => {
      own.isAlive = true;
    });
    socket.on('message', (data, isBinary) => {
      const now = performance.now();
      seen = [...seen.filter((at) => now - at < WINDOW_MS), now];
      const message = isBinary || seen.length > MOST_MESSAGES ? null : readFromWorker(String(data));
      if (message === null) {
        this.#ports.note(`${worker} said what no worker says; its socket is closed.`);
        socket.close(1008, 'That is none of the four messages.');
        return;
      }
      queue = queue.then(() => this.#answer(own, worker, message));
    });
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      if (this.#open.get(worker) !== own) return;
      this.#open.delete(worker);
      this.#ports.note(`${worker} has gone.`);
      void queue.then(() => this.#ports.left(worker)).catch(() => {});
    });
  }

  async #answer(own: { socket: WebSocket; token: string }, worker: string, message: FromWorker): Promise<void> {
    if (own.socket.readyState !== own.socket.OPEN) return;
    try {
      const { why } = await this.#ports.look(own.token);
      if (why !== null) return own.socket.close(1008, why.slice(0, 100));
      const answer = await this.#ports.answer(worker, message);
      if (answer) own.socket.send(JSON.stringify(answer));
    } catch (error) {
      this.#ports.note(`${worker}: ${error instanceof Error ? error.message : String(error)}`);
      own.socket.close(1011, 'The relay failed; try again.');
    }
  }

  async #ping(): Promise<void> {
    for (const own of this.#open.values()) {
      if (!own.isAlive) own.socket.terminate();
      own.isAlive = false;
      own.socket.ping();
      const looked = await this.#ports.look(own.token).catch(() => null);
      if (looked?.why) own.socket.close(1008, looked.why.slice(0, 100));
    }
  }
}
