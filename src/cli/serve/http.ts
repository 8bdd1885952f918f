// The skin of `serve`: HTTP on this machine for the core in lab/serving. Who may ask (host name, origin, key), which path does what, bodies
// up to a size, answers whole or as events, errors as objects.
import { createHash, randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { DeviceError, LabError } from '@projected-grpo-lab/base/errors.ts';
import { BodyError, boundServer, hostOf, jsonBody, listenAt } from '@projected-grpo-lab/base/http-server.node.ts';
import { type Chunks, chatBody, chatChunks, type Head, textBody, textChunks } from '../../lab/serving/answer.ts';
import { ApiError, invalid } from '../../lab/serving/api-error.ts';
import type { Batches, Written } from '../../lab/serving/batches.ts';
import { type Prepared, prepare, type ServedModel } from '../../lab/serving/prepared.ts';
import { type CompletionRequest, readChat, readText } from '../../lab/serving/request.ts';

export interface ApiOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Null: everybody on this machine may ask. */
  readonly key: string | null;
  /** A page's origin that may ask; null: no page may. */
  readonly allowOrigin: string | null;
  /** The first is the one whose tokenizer is told. */
  readonly models: readonly ServedModel[];
  readonly batches: Batches;
  /** Seconds since 1970 at which the names began to be served. */
  readonly since: number;
  note(line: string): void;
}

export interface ListeningApi {
  readonly port: number;
  /** Ends what is under way with an error, and closes. */
  close(): Promise<void>;
}

const LIMITS = {
  connections: 128,
  /** Bytes of a body, and of all bodies that are in hand. */
  body: 8 * 2 ** 20,
  bodies: 64 * 2 ** 20,
  /** Bytes of a stream that its client has not read. */
  unread: 4 * 2 ** 20,
  /** Names of unknown fields that are told. */
  told: 100,
} as const;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
export const isLoopback = (host: string): boolean => LOOPBACK.includes(host) || host === '::1';
/** The headers that the clients send, spelled out: a preflight takes no pattern with a key. */
const ALLOWED_HEADERS = [
  ...['authorization', 'content-type', 'openai-organization', 'openai-project', 'user-agent'],
  ...[
    'lang',
    'package-version',
    'os',
    'arch',
    'runtime',
    'runtime-version',
    'retry-count',
    'timeout',
    'helper-method',
  ].map((name) => `x-stainless-${name}`),
];

/** Throws SpecError where the port cannot be had. */
export async function serveApi(options: ApiOptions): Promise<ListeningApi> {
  const { host, note } = options;
  const servers: Server[] = [boundServer(LIMITS.connections)];
  const port = await listenAt(servers[0], options.port, host === '[::1]' ? '::1' : host);
  const api = new Api(options, port);
  if (host === '127.0.0.1') {
    // Some clients take localhost for ::1 alone.
    const second = boundServer(LIMITS.connections);
    try {
      await listenAt(second, port, '::1');
      servers.push(second);
    } catch {
      note(`[::1]:${port} cannot be had; clients that take localhost for it need 127.0.0.1.`);
    }
  }
  for (const server of servers) server.on('request', (request, response) => void api.take(request, response));
  return {
    port,
    async close() {
      options.batches.stop();
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
      await api.settled();
      for (const server of servers) server.closeAllConnections();
      await Promise.all(closed);
    },
  };
}

type Answer = (request: IncomingMessage, response: ServerResponse, signal: AbortSignal) => Promise<void> | void;

class Api {
  private readonly byName: ReadonlyMap<string, ServedModel>;
  private readonly routes: ReadonlyMap<string, Partial<Record<'GET' | 'POST', Answer>>>;
  private readonly underWay = new Set<Promise<void>>();
  private readonly told = new Set<string>();
  /** Bytes of bodies whose requests are not answered yet. */
  private inHand = 0;

  constructor(
    private readonly options: ApiOptions,
    private readonly port: number,
  ) {
    this.byName = new Map(options.models.map((model) => [model.name, model]));
    const routes: Readonly<Record<string, Partial<Record<'GET' | 'POST', Answer>>>> = {
      '/health': { GET: (_request, response) => send(response, 200, { status: 'ok' }) },
      '/v1/models': {
        GET: (_request, response) => send(response, 200, { object: 'list', data: options.models.map(this.card) }),
      },
      '/v1/chat/completions': { POST: (...asked) => this.complete(readChat, ...asked) },
      '/v1/completions': { POST: (...asked) => this.complete(readText, ...asked) },
      '/tokenizer_info': { GET: (_request, response) => send(response, 200, this.tokenizer()) },
      '/tokenize': { POST: (request, response) => this.tokenize(request, response) },
      '/detokenize': { POST: (request, response) => this.detokenize(request, response) },
    };
    this.routes = new Map(Object.entries(routes));
  }

  /** Resolves when all requests under way are answered. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay);
  }

  take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const leaving = new AbortController();
    response.once('close', () => leaving.abort(new Left()));
    const taking = this.answer(request, response, leaving.signal)
      .catch((error: unknown) => this.refuse(response, error))
      .finally(() => this.underWay.delete(taking));
    this.underWay.add(taking);
    return taking;
  }

  private async answer(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    response.setHeader('x-request-id', randomUUID());
    response.setHeader('x-content-type-options', 'nosniff');
    this.checkAsker(request, response);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    const pathname = pathOf(request);
    if (pathname !== '/health') this.checkKey(request);
    const named = /^\/v1\/models\/(.+)$/.exec(pathname)?.[1];
    const route = named === undefined ? this.routes.get(pathname) : { GET: () => this.model(named, response) };
    if (!route)
      throw new ApiError(
        404,
        `There is nothing at ${pathname.slice(0, 100)}.`,
        `There is ${[...this.routes.keys()].join(', ')}.`,
      );
    const { method = 'GET' } = request;
    const answer = Object.hasOwn(route, method) ? route[method as 'GET' | 'POST'] : undefined;
    if (answer) return answer(request, response, signal);
    response.setHeader('allow', Object.keys(route).join(', '));
    throw new ApiError(
      405,
      `${pathname} does not take ${method.slice(0, 20)}.`,
      `Use ${Object.keys(route).join(', ')}.`,
    );
  }

  /** Throws ApiError for another name of this machine (a page whose name resolves to it), or a page of another site. */
  private checkAsker(request: IncomingMessage, response: ServerResponse): void {
    const { host, key, allowOrigin } = this.options;
    const requestedHost = hostOf(request);
    // A request by a name of the network is answered only with the key, which no page has.
    const isKnown =
      requestedHost !== null &&
      (LOOPBACK.some((name) => isHost(requestedHost, name, this.port)) || (!isLoopback(host) && key !== null));
    if (!isKnown)
      throw new ApiError(
        403,
        `Asked by the name ${String(requestedHost).slice(0, 100)}.`,
        `Ask 127.0.0.1:${this.port}.`,
      );
    const { origin } = request.headers;
    if (origin === undefined || origin === `http://${requestedHost}`) return;
    if (origin !== allowOrigin && allowOrigin !== '*')
      throw new ApiError(
        403,
        'Asked by a page of another site.',
        'Start the server with --allow-origin and its origin.',
      );
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('vary', 'origin');
    response.setHeader('access-control-expose-headers', 'x-request-id, retry-after');
    if (request.method !== 'OPTIONS') return;
    response.setHeader('access-control-allow-methods', 'GET, POST');
    response.setHeader('access-control-allow-headers', ALLOWED_HEADERS.join(', '));
    response.setHeader('access-control-max-age', '600');
  }

  private checkKey({ headers }: IncomingMessage): void {
    const { key } = this.options;
    if (key === null) return;
    const given = /^Bearer\s+(.*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const [a, b] = [given, key].map((text) => createHash('sha256').update(text).digest());
    if (!timingSafeEqual(a, b))
      throw new ApiError(401, 'The key is missing or another.', 'Send the one of --api-key as a bearer token.', {
        code: 'invalid_api_key',
      });
  }

  private readonly card = ({ name }: ServedModel) => ({
    id: name,
    object: 'model',
    created: this.options.since,
    owned_by: 'projected-grpo-lab',
  });

  private named(name: string): ServedModel {
    const model = this.byName.get(name);
    if (model) return model;
    throw new ApiError(
      404,
      `The model ${JSON.stringify(name.slice(0, 100))} is not served.`,
      `There is ${[...this.byName.keys()].join(', ')}.`,
      { code: 'model_not_found', param: 'model' },
    );
  }

  private model(name: string, response: ServerResponse): void {
    let plain = name;
    try {
      plain = decodeURIComponent(name);
    } catch {
      // It is no name that is served, and the answer says so.
    }
    send(response, 200, this.card(this.named(plain)));
  }

  private async complete(
    read: (body: unknown) => CompletionRequest,
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const { batches } = this.options;
    let own = 0;
    try {
      const asked = read(
        await this.body(request, (bytes) => {
          own += bytes;
          this.inHand += bytes;
        }),
      );
      this.tell(asked.unknown);
      const prepared = prepare(asked, this.named(asked.model), randomInt(2 ** 32));
      const prefix = asked.kind === 'chat' ? 'chatcmpl' : 'cmpl';
      const head = { id: `${prefix}-${randomUUID().replaceAll('-', '')}`, created: Math.floor(Date.now() / 1000) };
      if (asked.stream) return await stream(batches, head, prepared, response, signal);
      const written = await batches.ask(jobOf(prepared, signal));
      const form = asked.kind === 'chat' ? chatBody : textBody;
      send(response, 200, form(head, prepared, written));
    } finally {
      this.inHand -= own;
    }
  }

  /** Refuses before a body is read where too many wait. Throws ApiError. */
  private async body(request: IncomingMessage, count: (bytes: number) => void): Promise<unknown> {
    if (this.options.batches.isFull)
      throw new ApiError(429, 'Too many requests are waiting.', 'Ask again in a moment.', { code: 'queue_full' });
    return jsonBody(request, LIMITS.body, (bytes) => {
      count(bytes);
      if (this.inHand <= LIMITS.bodies) return;
      throw new ApiError(429, 'The requests that wait are too large together.', 'Ask again in a moment.', {
        code: 'queue_full',
      });
    });
  }

  /** Says once of each field that it is not followed. */
  private tell(unknown: readonly string[]): void {
    for (const name of unknown) {
      if (this.told.has(name) || this.told.size >= LIMITS.told) continue;
      this.told.add(name);
      this.options.note(
        `A request has the field ${JSON.stringify(name.slice(0, 60))}, which is not known here and is ignored.`,
      );
    }
  }

  private tokenizer() {
    const { eos, bos, pad, template } = this.options.models[0].words.notation;
    return { eos_token: eos, bos_token: bos, pad_token: pad, chat_template: template };
  }

  private async tokenize(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, add_special_tokens: isWhole = true } = await objectBody(request);
    if (typeof prompt !== 'string') throw invalid('prompt', 'it is no text.', 'Send {"prompt": "…"}.');
    const [{ words, context }] = this.options.models;
    const tokens = isWhole === false ? words.codec.encode(prompt) : words.codec.encodePrompt(prompt);
    send(response, 200, { tokens, count: tokens.length, max_model_len: context });
  }

  private async detokenize(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { tokens } = await objectBody(request);
    const [{ words, vocab }] = this.options.models;
    const isId = (id: unknown) => Number.isInteger(id) && (id as number) >= 0 && (id as number) < vocab;
    if (!Array.isArray(tokens) || !tokens.every(isId))
      throw invalid('tokens', 'it is no list of token ids of this model.', 'Send {"tokens": [1, 2]}.');
    send(response, 200, { prompt: words.codec.decode(tokens) });
  }

  private refuse(response: ServerResponse, error: unknown): void {
    if (error instanceof Left || response.destroyed) return;
    const known = asApiError(error);
    if (known.status >= 500 && !(error instanceof ApiError))
      this.options.note(
        error instanceof LabError ? `${error.message} ${error.remedy}` : String((error as Error)?.stack ?? error),
      );
    if (response.headersSent) {
      response.end(`${eventOf(known.body)}${LAST_EVENT}`);
      return;
    }
    if (known.status === 429) response.setHeader('retry-after', '1');
    if (error instanceof DeviceError) response.setHeader('x-should-retry', 'false');
    if (known.status === 413) response.setHeader('connection', 'close');
    send(response, known.status, known.body);
  }
}

/** The client has left. */
class Left extends Error {}

const LAST_EVENT = 'data: [DONE]\n\n';
const eventOf = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

async function objectBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const body = await jsonBody(request, LIMITS.body);
  if (typeof body === 'object' && body !== null) return body as Readonly<Record<string, unknown>>;
  throw invalid('body', 'it is no JSON object.', 'Send an object.');
}

/** Empty for what is no address. */
const pathOf = ({ url = '/' }: IncomingMessage): string =>
  URL.canParse(url, 'http://127.0.0.1') ? new URL(url, 'http://127.0.0.1').pathname : '';

/** A name with this port, which a client leaves out where it is HTTP's own. */
const isHost = (asked: string, name: string, port: number): boolean =>
  asked.toLowerCase() === `${name}:${port}` || (port === 80 && asked.toLowerCase() === name);

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof BodyError) return new ApiError(error.status, error.message, 'See docs/how-to/exchange.md.');
  if (error instanceof DeviceError) return new ApiError(503, error.message, error.remedy, { code: 'device_lost' });
  if (error instanceof LabError) return new ApiError(500, error.message, error.remedy);
  return new ApiError(500, 'The server failed; its log says why.', '');
}

const jobOf = ({ model, prompts, sequences, asked, ranks }: Prepared, signal: AbortSignal) => ({
  writer: model.writer,
  codec: model.words.codec,
  prompts,
  sequences,
  temperature: asked.temperature,
  stops: asked.stops,
  ranks,
  signal,
});

/** Sends chunks as text comes; before the first one an error still has its status. */
async function stream(
  batches: Batches,
  head: Head,
  prepared: Prepared,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const chunks: Chunks = (prepared.asked.kind === 'chat' ? chatChunks : textChunks)(head, prepared);
  const write = (bodies: readonly object[]) => {
    if (signal.aborted) return;
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
    for (const body of bodies) response.write(eventOf(body));
    // A client that does not read is taken to have left: nothing may grow without a bound.
    if (response.writableLength > LIMITS.unread) response.destroy();
  };
  const onText = (at: number, piece: string, soFar: Written) => {
    const bodies = chunks.piece(at, piece, soFar);
    if (bodies.length > 0) write(bodies);
  };
  const { writer, codec, prompts, sequences, temperature, stops, ranks } = jobOf(prepared, signal);
  const written = await batches.ask({ writer, codec, prompts, sequences, temperature, stops, ranks, signal, onText });
  write(chunks.end(written));
  if (!signal.aborted) response.end(LAST_EVENT);
}
