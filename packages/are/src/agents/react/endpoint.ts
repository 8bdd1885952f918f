// A model behind an OpenAI-compatible server that the user names: `POST {base}/chat/completions`. Nothing is sent anywhere but there. A
// server that is busy, or whose connection breaks, is asked again a few times, so that it does not cost the run.

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
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import * as z from 'zod/mini';
import { type ChatAnswer, type ChatModel, type ChatTurn, cutAt, PromptTooLong } from '../../chat-model.ts';

export interface EndpointOptions {
  /** `http://localhost:8000/v1` */
  readonly base: string;
  readonly model: string;
  /** Sent as a bearer token. */
  readonly key?: string | null;
  readonly temperature?: number;
  /** Tokens of an answer at most. */
  readonly maxTokens?: number;
  readonly seed?: number;
  /** Further tries of one question where the server is busy or was lost. */
  readonly retries?: number;
  /** For one answer, its last byte included. */
  readonly withinMs?: number;
  /** Before each further try: why, and what is waited. */
  readonly onRetry?: (why: string, waitMs: number) => void;
  /** Resolves after so many milliseconds, or early when the signal is aborted. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly fetch?: PostOptions['fetch'];
  /** What its user can do where it cannot be reached. */
  readonly remedy?: string;
  /** Milliseconds of the host's clock. */
  readonly now: () => number;
  readonly signal?: AbortSignal;
}

export const DEFAULT_RETRIES = 5;
/** Seconds for an answer: a model that thinks for long is no fault. */
export const DEFAULT_WITHIN = 600;
/** A server that asks for more is not waited for. */
const LONGEST_WAIT_MS = 120_000;
/** Tokens of one answer, or of what was read for it: no context is longer. */
const MOST_TOKENS = 1e9;

const tokens = z.nullish(z.int().check(z.gte(0), z.lte(MOST_TOKENS)));
const answerSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.nullish(z.string()) }) })).check(z.minLength(1)),
  usage: z.nullish(z.object({ prompt_tokens: tokens, completion_tokens: tokens })),
});

export class EndpointModel implements ChatModel {
  readonly name: string;
  private readonly url: string;

  /** @param heard whether the server ever answered; shared by the seeds of a model. Throws FormatError where the base is no http(s) address. */
  constructor(
    private readonly options: EndpointOptions,
    private readonly heard = { isHeard: false },
  ) {
    this.name = options.model;
    if (!URL.canParse(options.base) || !/^https?:/i.test(options.base))
      throw new FormatError(`${options.base} is no address of a server.`, 'Give one such as http://localhost:8000/v1.');
    this.url = `${new URL(options.base).href.replace(/\/+$/, '')}/chat/completions`;
  }

  /** The same model on the same server, with draws of its own. */
  seeded(seed: number): EndpointModel {
    return new EndpointModel({ ...this.options, seed }, this.heard);
  }

  async answer(turns: readonly ChatTurn[], { stop }: { readonly stop: readonly string[] }): Promise<ChatAnswer> {
    const { model, temperature = 0.5, maxTokens = 16_384, seed, now } = this.options;
    const from = now();
    const { status, text } = await this.asked(
      JSON.stringify({
        model,
        messages: turns,
        temperature,
        max_tokens: maxTokens,
        stop,
        ...(seed !== undefined && { seed }),
      }),
    );
    if (status === 400 && /context.{0,40}(length|window)|too long|maximum.{0,40}tokens/i.test(text))
      throw new PromptTooLong(`The server refused the conversation as too long: ${text.slice(0, 200)}`);
    if (status !== 200) throw this.refused(`answered with status ${status}: ${text.slice(0, 300)}`);
    const { choices, usage } = this.read(text);
    return {
      text: cutAt(choices[0]?.message.content ?? '', stop),
      inputTokens: usage?.prompt_tokens ?? 0,
      outputTokens: usage?.completion_tokens ?? 0,
      seconds: (now() - from) / 1000,
    };
  }

  private async asked(body: string): Promise<Posted> {
    const { retries = DEFAULT_RETRIES, signal, wait = sleep, onRetry = () => {} } = this.options;
    for (let tries = 0; ; tries++) {
      const found = await this.once(body);
      const isError = found instanceof ServerError;
      if (!isError && !isBusy(found.status)) return found;
      const said = isError ? found.message : `${this.url} answered with status ${found.status}`;
      // Before it was ever heard of, it is more likely that there is no such server.
      const isHopeless = isError && !(found.isLost && this.heard.isHeard);
      const waitMs = (isError ? null : retryAfter(found.headers, Date.now())) ?? backoff(tries);
      if (isHopeless || tries >= retries || waitMs > LONGEST_WAIT_MS) {
        const again = tries === 0 ? '' : `, ${tries + 1} times in a row`;
        const later = waitMs > LONGEST_WAIT_MS ? `; it asks to wait ${Math.ceil(waitMs / 1000)} s` : '';
        if (!isError)
          throw this.refused(`answered with status ${found.status}${again}${later}: ${found.text.slice(0, 300)}`);
        const { remedy = found.remedy } = this.options;
        throw new FormatError(`${said.replace(/\.$/, '')}${again}.`, remedy, { cause: found });
      }
      onRetry(said, waitMs);
      await wait(waitMs, signal);
      signal?.throwIfAborted();
    }
  }

  private async once(body: string): Promise<Posted | ServerError> {
    const { key, withinMs = 1000 * DEFAULT_WITHIN, signal, fetch } = this.options;
    const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
    try {
      const found = await post(this.url, { headers, body, withinMs, signal, fetch });
      this.heard.isHeard = true;
      return found;
    } catch (error) {
      if (error instanceof ServerError) return error;
      throw error;
    }
  }

  private read(text: string): z.infer<typeof answerSchema> {
    try {
      return answerSchema.parse(parseJsonText(text));
    } catch (error) {
      throw this.refused(`answered with what is no chat completion: ${text.slice(0, 200)}`, error);
    }
  }

  private refused(what: string, cause?: unknown): FormatError {
    return new FormatError(`${this.url} ${what}`, 'Check address, model name and key.', { cause });
  }
}
