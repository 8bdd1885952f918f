// A model behind an OpenAI-compatible server that the user names: `POST {base}/chat/completions`. Nothing is sent anywhere but there.
import * as z from 'zod/mini';
import { FormatError } from '../../../../lib/errors.ts';
import { parseJsonText } from '../../../../lib/json.ts';
import { type ChatAnswer, type ChatModel, type ChatTurn, cutAt, PromptTooLong } from './model.ts';

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
  readonly fetch?: typeof fetch | undefined;
  /** What its user can do where it cannot be reached. */
  readonly remedy?: string;
  /** Milliseconds of the host's clock. */
  readonly now: () => number;
  readonly signal?: AbortSignal;
}

const answerSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.nullish(z.string()) }) })).check(z.minLength(1)),
  usage: z.nullish(z.object({ prompt_tokens: z.nullish(z.number()), completion_tokens: z.nullish(z.number()) })),
});

export class EndpointModel implements ChatModel {
  readonly name: string;
  private readonly url: string;

  /** Throws FormatError where the base is no http(s) address. */
  constructor(private readonly options: EndpointOptions) {
    this.name = options.model;
    if (!URL.canParse(options.base) || !/^https?:/i.test(options.base))
      throw new FormatError(`${options.base} is no address of a server.`, 'Give one such as http://localhost:8000/v1.');
    this.url = `${new URL(options.base).href.replace(/\/+$/, '')}/chat/completions`;
  }

  async answer(turns: readonly ChatTurn[], { stop }: { readonly stop: readonly string[] }): Promise<ChatAnswer> {
    const { model, key, temperature = 0.5, maxTokens = 16_384, seed, now, signal, fetch: send = fetch } = this.options;
    const { remedy = 'Start the server, or name another.' } = this.options;
    const from = now();
    const body = {
      model,
      messages: turns,
      temperature,
      max_tokens: maxTokens,
      stop,
      ...(seed !== undefined && { seed }),
    };
    let status: number;
    let text: string;
    try {
      const response = await send(this.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify(body),
        // To the server that was named, and nowhere else: neither cookies, nor the key to where it would send one on.
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
        ...(signal && { signal }),
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new FormatError(`${this.url} cannot be reached: ${(error as Error).message}`, remedy, { cause: error });
    }
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
