// A model behind an OpenAI-compatible server that the user names: `POST {base}/chat/completions`. Nothing is sent anywhere else. A busy
// server or a broken connection is retried a few times, and a parameter that the server refuses is left out, so neither ends the run.
// Errors quote the server's own message, never the key.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import {
  backoff,
  isBusy,
  type Posted,
  type PostOptions,
  post,
  retryAfter,
  ServerError,
  sleep,
} from '@projected-grpo-lab/base/http.ts';
import { reasonOf } from '@projected-grpo-lab/base/reason.ts';
import { type ChatAnswer, type ChatModel, type ChatTurn, PromptTooLong } from '../../chat-model.ts';
import { bodyError, type Completion, readCompletion } from './completion.ts';
import { type Bound, type Parameter, refusedParameter, type Sent } from './parameters.ts';

export interface EndpointOptions {
  /** `http://localhost:8000/v1` */
  readonly base: string;
  readonly model: string;
  /** Sent as a bearer token. */
  readonly key?: string | null;
  readonly temperature?: number;
  /** Most tokens of an answer. */
  readonly maxTokens?: number;
  readonly seed?: number;
  /** Further tries of one question if the server is busy or the connection is lost. */
  readonly retries?: number;
  /** Time limit for one answer, to its last byte. */
  readonly withinMs?: number;
  /** Parameters that are not sent; `max_tokens` stands for both names of that limit. */
  readonly leaveOut?: readonly Parameter[];
  /** Called before each further try with the reason and the milliseconds until it. */
  readonly onRetry?: (why: string, waitMs: number) => void;
  /** Called with notes for the user on the server's answers, once for each note. */
  readonly onNote?: (line: string) => void;
  /** Resolves after so many milliseconds, or early when the signal is aborted. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly fetch?: PostOptions['fetch'];
  /** Advice to the user if the server cannot be reached. */
  readonly remedy?: string;
  /** Advice to the user on how to leave a parameter out. */
  readonly leavingOut?: string;
  /** Milliseconds of the host's clock. */
  readonly now: () => number;
  readonly signal?: AbortSignal;
}

export const DEFAULT_RETRIES = 5;
/** Seconds for an answer, which is long enough for a long thought. */
export const DEFAULT_WITHIN = 600;
/** If a server asks for a longer wait, the run gives up. */
const LONGEST_WAIT_MS = 120_000;
/** Most combinations of parameters tried for one question. */
const MOST_FORMS = 4;
const NAMES_REMEDY = 'Check address, model name and key.';

/** Facts learnt about a server, shared by the models of all seeds. */
class Known {
  /** Whether the server ever answered. */
  hasAnswered = false;
  bound: Bound = 'max_tokens';
  takesStop = true;
  readonly noted = new Set<string>();
}

export class EndpointModel implements ChatModel {
  readonly name: string;
  private readonly url: string;
  /** The address without its query, which may contain a key. */
  private readonly shown: string;

  /** Throws FormatError if the base is no http(s) address, or contains a name or password. */
  constructor(
    private readonly options: EndpointOptions,
    private readonly known = new Known(),
  ) {
    this.name = options.model;
    if (!URL.canParse(options.base) || !/^https?:/i.test(options.base))
      throw new FormatError(
        `${options.base.slice(0, 200)} is no address of a server.`,
        'Give one such as http://localhost:8000/v1.',
      );
    const url = new URL(options.base);
    if (url.username !== '' || url.password !== '')
      throw new FormatError(
        `The address of ${url.host} has a name or password in it, which is not sent.`,
        'Leave it out of the address; a key is sent as a bearer token.',
      );
    const path = url.pathname.replace(/\/+$/, '');
    url.pathname = path.endsWith(PATH) ? path : `${path}${PATH}`;
    this.url = url.href;
    this.shown = `${url.origin}${url.pathname}`;
  }

  /** The same model on the same server with another seed. */
  seeded(seed: number): EndpointModel {
    return new EndpointModel({ ...this.options, seed }, this.known);
  }

  async answer(turns: readonly ChatTurn[], { stop }: { readonly stop: readonly string[] }): Promise<ChatAnswer> {
    const { now } = this.options;
    const from = now();
    const { text, flaw, inputTokens, outputTokens } = await this.completion(turns, stop);
    if (flaw !== null) this.note(flaw, `${this.shown}: ${flaw}.`);
    return { text, inputTokens, outputTokens, seconds: (now() - from) / 1000, ...(flaw !== null && { flaw }) };
  }

  /** Asks again without a refused parameter, as long as the answer stays the same without it. */
  private async completion(turns: readonly ChatTurn[], stop: readonly string[]): Promise<Completion> {
    for (let forms = 1; ; forms++) {
      const { limit, ...settings } = this.settings(stop);
      const { model } = this.options;
      const { status, text } = await this.postWithRetries(JSON.stringify({ model, messages: turns, ...settings }));
      if (status === 200) return this.read(text, stop, limit);
      const refused = refusedParameter(status, text, Object.keys(settings) as Sent[]);
      if (refused !== null && forms < MOST_FORMS && this.isDispensable(refused, text)) continue;
      const reason = this.redacted(reasonOf(text));
      if (refused !== null) throw this.refused(this.answeredWith(status, reason), this.leaveOutRemedy(refused));
      if (status === 400 && /context.{0,40}(length|window)|too long|maximum.{0,40}tokens/i.test(reason))
        throw new PromptTooLong(`The server refused the conversation as too long: ${reason.slice(0, 200)}`);
      throw this.refused(this.answeredWith(status, reason), remedyFor(status));
    }
  }

  /** Settings of a request besides the conversation. `limit`: most tokens of the answer; null: the server's own limit. */
  private settings(stop: readonly string[]) {
    const { temperature = 0.5, maxTokens = 16_384, seed, leaveOut = [] } = this.options;
    const { bound, takesStop } = this.known;
    const sends = (name: Parameter) => !leaveOut.includes(name);
    const isBound = sends('max_tokens');
    return {
      limit: isBound ? maxTokens : null,
      ...(sends('temperature') && { temperature }),
      ...(isBound && { [bound]: maxTokens }),
      ...(sends('stop') && takesStop && stop.length > 0 && { stop }),
      ...(sends('seed') && seed !== undefined && { seed }),
    };
  }

  /** Whether the request works without the parameter, which is then no longer sent: the token limit has a second name, and stops are also
   *  applied here. */
  private isDispensable(refused: Sent, text: string): boolean {
    const { known, shown } = this;
    const why = `${shown} does not take ${refused} (“${this.redacted(reasonOf(text))}”)`;
    if (refused === 'max_tokens') {
      this.note(refused, `${why}: it is asked with max_completion_tokens.`);
      known.bound = 'max_completion_tokens';
      return true;
    }
    if (refused !== 'stop') return false;
    this.note(refused, `${why}: it is asked without, and what comes after a stop is cut off here.`);
    known.takesStop = false;
    return true;
  }

  private leaveOutRemedy(refused: Sent): string {
    const { leavingOut = 'Leave it out with leaveOut:' } = this.options;
    return `${leavingOut} ${refused === 'max_completion_tokens' ? 'max_tokens' : refused}`;
  }

  private async postWithRetries(body: string): Promise<Posted> {
    const { retries = DEFAULT_RETRIES, signal, wait = sleep, onRetry = () => {} } = this.options;
    for (let tries = 0; ; tries++) {
      const found = await this.postOnce(body);
      const isError = found instanceof ServerError;
      if (!isError && !isBusy(found.status)) return found;
      const failure = this.redacted(
        isError ? found.message : `${this.url} ${this.answeredWith(found.status, reasonOf(found.text))}`,
      );
      // Before the server's first answer, a lost connection most likely means that there is no such server.
      const isFinal = isError && !(found.isLost && this.known.hasAnswered);
      const waitMs = (isError ? null : retryAfter(found.headers, Date.now())) ?? backoff(tries);
      if (isFinal || tries >= retries || waitMs > LONGEST_WAIT_MS) {
        const again = tries === 0 ? '' : `, ${tries + 1} times in a row`;
        const later = waitMs > LONGEST_WAIT_MS ? `; it asks to wait ${Math.ceil(waitMs / 1000)} s` : '';
        if (!isError)
          throw this.refused(
            this.answeredWith(found.status, this.redacted(reasonOf(found.text)), `${again}${later}`),
            remedyFor(found.status),
          );
        const { remedy = found.remedy } = this.options;
        throw new FormatError(`${failure.replace(/\.$/, '')}${again}.`, remedy, { cause: found });
      }
      onRetry(failure, waitMs);
      await wait(waitMs, signal);
      signal?.throwIfAborted();
    }
  }

  private async postOnce(body: string): Promise<Posted | ServerError> {
    const { key, withinMs = 1000 * DEFAULT_WITHIN, signal, fetch } = this.options;
    const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
    try {
      const found = await post(this.url, { headers, body, withinMs, signal, fetch });
      this.known.hasAnswered = true;
      const error = found.status === 200 ? bodyError(found.text) : null;
      return error === null ? found : { ...found, status: error.status ?? BODY_ERROR };
    } catch (error) {
      if (error instanceof ServerError) return error;
      throw error;
    }
  }

  private read(text: string, stop: readonly string[], limit: number | null): Completion {
    try {
      return readCompletion(text, stop, limit);
    } catch (error) {
      throw this.refused(`answered with ${this.redacted((error as Error).message)}`, NAMES_REMEDY, error);
    }
  }

  private answeredWith(status: number, reason: string, more = ''): string {
    const how = status === BODY_ERROR ? 'status 200, and an error in it' : `status ${status}`;
    return `answered with ${how}${more}${reason === '' ? '' : `: ${reason}`}`;
  }

  private refused(what: string, remedy: string, cause?: unknown): FormatError {
    return new FormatError(`${this.shown} ${what}`, remedy, { cause });
  }

  private note(what: string, line: string): void {
    const { noted } = this.known;
    if (noted.has(what)) return;
    noted.add(what);
    this.options.onNote?.(line);
  }

  /** The text without the key, which some servers send back, and without the address's query. */
  private redacted(text: string): string {
    const { key } = this.options;
    const plain = text.replaceAll(this.url, this.shown);
    return key && key.length >= SHORTEST_KEY ? plain.replaceAll(key, '(the key)') : plain;
  }
}

const PATH = '/chat/completions';
/** A shorter key is a word like "none", which is not secret. */
const SHORTEST_KEY = 6;
/** Stands for status 200 with an error that names no status. */
const BODY_ERROR = 0;

function remedyFor(status: number): string {
  if (status === 401 || status === 403) return 'Check the key, and what it may be used for.';
  if (status === 404 || status === 405)
    return 'Check the address, which mostly ends in /v1, and the name of the model.';
  if (isBusy(status)) return 'Ask again later, or name another server.';
  return status === BODY_ERROR || status === 400 || status === 422
    ? 'What the server says is its own reason: change what it names, or name another model.'
    : NAMES_REMEDY;
}
