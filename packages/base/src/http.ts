// One POST to a server that the user named (a model's endpoint, an MCP server), with common rules: only to that address, with a time limit
// and a size limit; also how to wait for a busy server.
import { LabError } from './errors.ts';

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Time limit in milliseconds for the whole answer, to its last byte. */
  readonly withinMs: number;
  /** Most bytes of the answer; default 16 MiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A model's answer takes some kilobytes, a list of tools some hundred. */
const MAX_BYTES = 16 * 2 ** 20;

/**
 * The server was not reached, redirected the request, or answered too much or too slowly. `isLost`: the connection broke or was never made.
 */
export class ServerError extends LabError {
  constructor(
    message: string,
    remedy: string,
    readonly isLost: boolean,
    options?: ErrorOptions,
  ) {
    super(message, remedy, options);
  }
}

/** Throws ServerError, or the signal's abort reason. */
export async function post(url: string, options: PostOptions): Promise<Posted> {
  const { headers, body, withinMs, maxBytes = MAX_BYTES, signal, fetch: send = fetch } = options;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new TooSlow()), withinMs);
  try {
    const response = await send(url, {
      method: 'POST',
      headers,
      body,
      // Follows no redirect and sends no cookies: a key, a session or the message must not reach another server.
      credentials: 'omit',
      redirect: 'manual',
      referrerPolicy: 'no-referrer',
      signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
    });
    const { status } = response;
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      void response.body?.cancel().catch(() => {});
      const to = response.headers.get('location');
      throw new ServerError(
        `${url} sends requests on${to === null ? '' : ` to ${to.slice(0, 200)}`} (status ${status}); that is not followed.`,
        'Give the address where the server really is.',
        false,
      );
    }
    return { status, headers: response.headers, text: await textOf(response, url, maxBytes) };
  } catch (error) {
    if (signal?.aborted || error instanceof ServerError) throw error;
    if (stop.signal.aborted)
      throw new ServerError(
        `${url} had not answered in full after ${withinMs / 1000} s.`,
        'See what the server does, or give it more time.',
        false,
        { cause: error },
      );
    throw new ServerError(`${url} cannot be reached: ${causeOf(error)}`, 'Start the server, or name another.', true, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

class TooSlow extends Error {}

async function textOf(response: Response, url: string, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const parts: string[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts.join('') + decoder.decode();
    bytes += value.length;
    if (bytes > maxBytes) {
      void reader.cancel().catch(() => {});
      throw new ServerError(`${url} answered with more than ${maxBytes} bytes.`, 'Name another server.', false);
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
}

/** The network's own error, which `fetch` hides below its message. */
export function causeOf(error: unknown): string {
  const cause = (error as { cause?: { code?: string; message?: string } } | null)?.cause;
  return cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
}

/** Statuses after which a request may be repeated: the server is busy, or failed. */
export const isBusy = (status: number): boolean => status === 429 || (status >= 500 && status !== 501);

/** Milliseconds before the n-th retry, counted from 0: 1, 2, 4 … at most 30 s. */
export const backoff = (tries: number): number => Math.min(30_000, 1000 * 2 ** tries);

/** Resolves after the given milliseconds, or early when the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

/**
 * Milliseconds to wait, from Retry-After, or from RateLimit (`"api";r=0;t=55`: seconds until the count is reset), which the Hub sends.
 * `now`: milliseconds since the epoch. https://huggingface.co/docs/hub/rate-limits
 */
export function retryAfter(headers: Headers, now: number): number | null {
  const after = headers.get('retry-after');
  if (after === null) {
    const [, seconds] = /(?:^|;)\s*t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
    return seconds === undefined ? null : Number(seconds) * 1000;
  }
  if (/^\d+$/.test(after.trim())) return Number(after) * 1000;
  const date = Date.parse(after);
  return Number.isFinite(date) ? Math.max(0, date - now) : null;
}
