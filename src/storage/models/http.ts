// Requests to the Hub or a mirror: retries with growing waits, explained refusals, and a token that is sent only there. Time and network
// are passed in, so that tests control them.
import { LabError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { causeOf, retryAfter, sleep } from '@projected-grpo-lab/base/http.ts';
import { HubError } from '../errors.ts';
import { refusal, refusedAfterRedirect } from './refusals.ts';

export interface HubOptions {
  /** Address of a server with the Hub's HTTP API. */
  endpoint?: string;
  /** `hf_…`, for private and gated models. It is sent only to the endpoint, and never stored or shown. */
  accessToken?: string;
  fetch?: typeof fetch;
  /** Resolves after `ms` milliseconds, or early when the signal is aborted. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Milliseconds of any clock, for speeds. */
  now?: () => number;
  signal?: AbortSignal;
  /** Milliseconds without data after which a connection counts as lost. */
  stallMs?: number;
  /** Called before each wait. */
  onRetry?: (why: string, waitMs: number) => void;
}

export const HUB = 'https://huggingface.co';
/** Waits after lost connections: 0.5, 1, 2, 4, 8 s. */
const FIRST_WAIT_MS = 500;
const RETRIES = 5;
/** Retries before a server's first answer, when a missing network is more likely. */
const FIRST_RETRIES = 2;
/** A browser that was refused after a redirect will be refused again, so it retries only once. */
const REDIRECT_RETRIES = 1;
/** The Hub limits requests per five minutes; the client gives up if a server asks for a longer wait. */
const LONGEST_WAIT_MS = 300_000;
const STALL_MS = 60_000;
/** Most bytes of one answer of the Hub's API; a page of a file list has some hundred kilobytes. */
const MOST_METADATA = 32 * 2 ** 20;

/** Thrown if the connection broke, or if the server may answer later. */
export class ConnectionLost extends Error {
  /** Whether the browser failed after the server redirected to another host. */
  readonly isAfterRedirect: boolean;

  constructor(
    message: string,
    readonly status: number | null = null,
    readonly waitMs: number | null = null,
    { isAfterRedirect = false } = {},
  ) {
    super(message);
    this.isAfterRedirect = isAfterRedirect;
  }
}

export class HubClient {
  readonly endpoint: string;
  readonly accessToken: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly #fetch: typeof fetch;
  readonly #sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly #stallMs: number;
  readonly #onRetry: (why: string, waitMs: number) => void;
  #wasHeard = false;

  /** Throws SpecError for a malformed endpoint or token. */
  constructor(options: HubOptions = {}) {
    this.endpoint = checkEndpoint(options.endpoint ?? HUB);
    if (options.accessToken && !/^hf_[A-Za-z0-9_-]+$/.test(options.accessToken)) {
      throw new SpecError(
        'The access token is not one of the Hub’s: it must begin with hf_.',
        'Make one in the Hub’s settings, with the right to read.',
      );
    }
    this.accessToken = options.accessToken || undefined;
    this.signal = options.signal;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#sleep = options.sleep ?? sleep;
    this.#stallMs = options.stallMs ?? STALL_MS;
    this.#onRetry = options.onRetry ?? (() => {});
  }

  /** `fetch` for the Hub's own library, with the same waits and errors; it returns a complete body or fails. */
  readonly fetch: typeof fetch = (input, init) =>
    this.retrying('the Hub', async () => {
      const response = await this.#once(String(input instanceof Request ? input.url : input), init ?? {});
      const pieces: Uint8Array<ArrayBuffer>[] = [];
      let length = 0;
      for await (const piece of this.pieces(response)) {
        length += piece.length;
        if (length > MOST_METADATA)
          throw new HubError(
            `${new URL(this.endpoint).host} answered with more than ${MOST_METADATA} bytes of metadata.`,
            'Check the endpoint; it does not answer as the Hub does.',
            null,
          );
        pieces.push(piece as Uint8Array<ArrayBuffer>);
      }
      return new Response(new Blob(pieces), response);
    });

  /** Repeats `work` until it succeeds: after a lost connection it waits and tries again, a few times in a row. `progressed` returns whether
   *  there was progress since its last call, which resets the count. */
  async retrying<T>(what: string, work: () => Promise<T>, progressed: () => boolean = () => false): Promise<T> {
    for (let failures = 0; ; ) {
      this.checkStopped();
      try {
        return await work();
      } catch (error) {
        this.checkStopped();
        if (!(error instanceof ConnectionLost)) throw error;
        failures = progressed() ? 1 : failures + 1;
        if (error.isAfterRedirect && failures > REDIRECT_RETRIES) throw refusedAfterRedirect(this.endpoint, what);
        const wait = error.waitMs ?? FIRST_WAIT_MS * 2 ** (failures - 1);
        if (failures > (this.#wasHeard ? RETRIES : FIRST_RETRIES) || wait > LONGEST_WAIT_MS) {
          throw this.#givenUp(what, error, failures);
        }
        this.#onRetry(error.message, wait);
        await this.#sleep(wait, this.signal);
      }
    }
  }

  /** One GET of bytes `from` … `to` (exclusive). The caller must read or cancel the body, within `retrying`. */
  async getRange(url: string, from: number, to: number, etag?: string): Promise<Response> {
    const headers: Record<string, string> = { Range: `bytes=${from}-${to - 1}` };
    if (this.accessToken) headers.Authorization = `Bearer ${this.accessToken}`;
    // In a page this header would need a preflight of every host on the redirects, so the answer's ETag is compared instead.
    if (etag && from > 0 && !('location' in globalThis)) headers['If-Range'] = etag;
    return this.#once(url, { headers });
  }

  /** Chunks of a body; a connection that breaks or stalls counts as lost. */
  async *pieces(response: Response): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader();
    if (!reader) return;
    try {
      for (;;) {
        const { done, value } = await this.#patiently(reader.read());
        if (done) return;
        yield value;
      }
    } finally {
      // This also cancels if the consumer stops early.
      reader.cancel().catch(() => {});
    }
  }

  checkStopped(): void {
    if (!this.signal?.aborted) return;
    const { reason } = this.signal;
    throw reason instanceof LabError && !(reason instanceof StoppedError)
      ? reason
      : new StoppedError(
          'The download was stopped; what was fetched is kept.',
          'Start it again: it continues where it stopped.',
        );
  }

  async #once(url: string, init: RequestInit): Promise<Response> {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, ...(this.signal ? [this.signal] : [])]);
    let response: Response;
    try {
      // An HTTP cache would store gigabytes a second time.
      response = await this.#patiently(this.#fetch(url, { ...init, signal, cache: 'no-store' }), stop);
    } catch (error) {
      this.checkStopped();
      if (error instanceof LabError) throw error;
      const why = causeOf(error);
      if (await this.#wasSentOn(url, init)) throw new ConnectionLost(why, null, null, { isAfterRedirect: true });
      throw error instanceof ConnectionLost ? error : new ConnectionLost(why);
    }
    this.#wasHeard = true;
    if (response.ok) return response;
    const { status } = response;
    const code = response.headers.get('x-error-code') ?? '';
    const wait = retryAfter(response.headers, Date.now());
    await response.body?.cancel().catch(() => {});
    if (status === 429 || status >= 500) throw new ConnectionLost(`status ${status}`, status, wait);
    throw refusal(url, status, code, this.accessToken !== undefined);
  }

  /** Whether a failed request with a token, in a page, reached a redirect. A header that needs a preflight makes Firefox preflight every host
   *  on the redirects, and the host of the files may not answer; Chromium preflights only the first. */
  async #wasSentOn(url: string, init: RequestInit): Promise<boolean> {
    if (!this.accessToken || !this.#wasHeard || !('location' in globalThis)) return false;
    const stop = new AbortController();
    try {
      const options = { ...init, redirect: 'manual', signal: stop.signal, cache: 'no-store' } as const;
      return (await this.#patiently(this.#fetch(url, options), stop)).type === 'opaqueredirect';
    } catch {
      return false;
    } finally {
      stop.abort();
    }
  }

  async #patiently<T>(work: Promise<T>, stop?: AbortController): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped: (() => void) | undefined;
    const stall = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new ConnectionLost(`nothing came for ${this.#stallMs / 1000} s`)), this.#stallMs);
      stopped = () => reject(new ConnectionLost('stopped'));
      this.signal?.addEventListener('abort', stopped, { once: true });
    });
    try {
      return await Promise.race([work, stall]);
    } catch (error) {
      stop?.abort();
      throw error instanceof LabError || error instanceof ConnectionLost ? error : new ConnectionLost(causeOf(error));
    } finally {
      clearTimeout(timer);
      if (stopped) this.signal?.removeEventListener('abort', stopped);
    }
  }

  #givenUp(what: string, { message, status, waitMs }: ConnectionLost, tries: number): HubError {
    const host = new URL(this.endpoint).host;
    if (status === 429) {
      const asks = waitMs === null ? '' : `, and asks to wait ${Math.ceil(waitMs / 1000)} s`;
      return new HubError(
        `${host} accepts no more requests from here for now (status 429${asks}).`,
        'Wait, then start it again: it continues where it stopped. An access token allows more.',
        status,
      );
    }
    if (status !== null) {
      return new HubError(
        `${host} answered with status ${status} for ${what}, ${tries} times in a row.`,
        'The server is at fault: start it again later; it continues where it stopped.',
        status,
      );
    }
    if (!this.#wasHeard) {
      return new HubError(
        `${host} cannot be reached (${message}).`,
        'Check the connection, and the endpoint where you named one; or drop the model’s folder instead.',
        null,
      );
    }
    return new HubError(
      `The connection to ${host} was lost ${tries} times in a row at ${what} (${message}).`,
      'Start it again when the connection is better: it continues where it stopped.',
      null,
    );
  }
}

function checkEndpoint(text: string): string {
  const remedy = 'Give an address like https://huggingface.co.';
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new SpecError(`${JSON.stringify(text.slice(0, 80))} is not the address of a Hub.`, remedy);
  }
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new SpecError(
      `An endpoint is a plain http or https address; this one is ${url.protocol}//${url.host}.`,
      remedy,
    );
  }
  return url.href.replace(/\/+$/, '');
}
