// A tokenizer as the lab uses it: text to ids and back, with the special tokens of a chat model. Made from Hugging Face tokenizer files (the
// embedded model's and any Qwen's alike) with the ids of the Rust library (tokenizer/).
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { conversationIn, END_OF_TURN } from './chatml.ts';
import { isOwnForm } from './tokenizer/form.ts';
import { checkTokenIds } from './tokenizer/token-ids.ts';
import { openTokenizer, type Tokenizer } from './tokenizer/tokenizer.ts';

export interface TextCodec {
  readonly vocabSize: number;
  encode(text: string): number[];
  /** Special tokens are kept in the text, so that decode(encode(t)) === t. */
  decode(ids: readonly number[]): string;
  /** A prompt in the lab's notation (chatml.ts), or what follows an answer in it, as the model's own template has it (prompts.ts). */
  encodeChat(text: string): number[];
  /** True where that is not the notation's own text: what a person is shown as the prompt is then what its ids say. */
  readonly rewritesChat?: boolean;
  /** Every id that ends an answer (`<|im_end|>`, …). */
  readonly endTokens: readonly number[];
  /** The one of them that a given answer is ended with. */
  readonly answerEnd: number;
  readonly padToken: number;
  /** The bytes that an id stands for, which may be part of a character; null for a token that is text. Absent where nobody knows. */
  bytesOf?(id: number): readonly number[] | null;
}

/** A codec that also knows what its model's texts begin with. */
export interface PromptCodec extends TextCodec {
  /** A plain text as a whole prompt: with the beginning-of-text token, where the model was trained with one. */
  encodePrompt(text: string): number[];
}

const REMEDY = 'Use the tokenizer.json and tokenizer_config.json that belong to the model.';

/** A special token in a config is a string, an object with `content`, or absent. */
export function namedToken(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const content = (value as { content?: unknown } | null | undefined)?.content;
  return typeof content === 'string' ? content : undefined;
}

/** The special tokens that special_tokens_map.json names and tokenizer_config.json does not, added to it. */
export function withSpecialTokens(tokenizerConfig: object, specialTokensMap: unknown): object {
  const config = tokenizerConfig as Readonly<Record<string, unknown>>;
  const map = specialTokensMap as Readonly<Record<string, unknown>> | null;
  const named = ['bos_token', 'eos_token', 'pad_token', 'unk_token'].map((key) => [key, config[key] ?? map?.[key]]);
  return { ...config, ...Object.fromEntries(named) };
}

/**
 * Parsed tokenizer.json and tokenizer_config.json → codec that reads conversations as they are written. An answer ends at `ends` (those of
 * generation_config.json or config.json) and at the config's eos token; where there are no `ends`, also at `<|im_end|>` and
 * `<|endoftext|>`. Throws FormatError.
 */
export async function loadCodec(
  tokenizerJson: object,
  tokenizerConfig: object,
  ends: readonly number[] = [],
): Promise<PromptCodec> {
  if (!isOwnForm(tokenizerJson)) (await import('./tokenizer-bounds.ts')).checkTokenizerBounds(tokenizerJson);
  checkTokenIds(tokenizerJson);
  let tokenizer: Tokenizer;
  try {
    tokenizer = await openTokenizer(tokenizerJson, tokenizerConfig);
  } catch (cause) {
    if (cause instanceof FormatError) throw cause;
    throw new FormatError(`the tokenizer cannot be read: ${String(cause)}`, REMEDY, { cause });
  }
  const config = tokenizerConfig as {
    eos_token?: unknown;
    pad_token?: unknown;
    bos_token?: unknown;
    add_bos_token?: unknown;
  };
  const idOf = (token: string | undefined) => (token === undefined ? undefined : tokenizer.idOf(token));
  const eos = idOf(namedToken(config.eos_token));
  const known = ends.length > 0 ? [] : ['<|im_end|>', '<|endoftext|>'].map(idOf);
  const endTokens = [...new Set([...ends, eos, ...known])].filter((id) => id !== undefined);
  if (endTokens.length === 0)
    throw new FormatError(
      'no token ends an answer: neither tokenizer_config.json nor special_tokens_map.json names an eos_token that tokenizer.json has, and neither generation_config.json nor config.json has an eos_token_id',
      'Name the token in tokenizer_config.json (eos_token), or its id in generation_config.json (eos_token_id).',
    );
  const { vocabSize } = tokenizer;
  /** A tokenizer that could be built may still fail on a text; the error then blames its file. */
  const whole = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new FormatError(`the tokenizer cannot ${what}: ${why.slice(0, 200)}`, REMEDY, { cause });
    }
  };
  const idsOf = (text: string, special: boolean): number[] =>
    whole('encode a text', () => {
      const { ids } = tokenizer.encode(text, { add_special_tokens: special });
      const bad = ids.find((id) => !(Number.isSafeInteger(id) && id >= 0 && id < vocabSize));
      if (bad !== undefined) throw new RangeError(`it gives the id ${bad}`);
      return ids;
    });
  const encode = (text: string) => (text === '' ? [] : idsOf(text, false));
  return {
    vocabSize,
    endTokens,
    answerEnd: eos ?? endTokens[0],
    padToken: idOf(namedToken(config.pad_token)) ?? endTokens[0],
    encode,
    encodeChat: encode,
    encodePrompt: (text) => {
      // The post-processor of tokenizer.json knows what a text begins with; some leave it to add_bos_token.
      const ids = idsOf(text, true);
      const bos = idOf(namedToken(config.bos_token));
      if (bos === undefined) return ids;
      // A text that a template has written begins with one already.
      const own = encode(text);
      if (ids[0] === bos && own[0] === bos && ids.length > own.length) return own;
      return ids[0] === bos || config.add_bos_token !== true ? ids : [bos, ...ids];
    },
    bytesOf: (id) => tokenizer.bytesOf(id),
    decode: (ids) => (ids.length === 0 ? '' : whole('decode ids', () => tokenizer.decode(ids))),
  };
}

/** Ids of a completion that ends its turn. */
export const completionIds = (codec: TextCodec, text: string): number[] => [...codec.encode(text), codec.answerEnd];

/** Ids of what a model is to write, in the lab's notation: where that ends its turn, with the model's own end. */
export const writtenIds = (codec: TextCodec, text: string): number[] =>
  text.endsWith(END_OF_TURN) ? completionIds(codec, text.slice(0, -END_OF_TURN.length)) : codec.encode(text);

/** Ids of a prompt from a file: of a conversation in the lab's notation, else of the text as it is. */
export const givenIds = (codec: PromptCodec, text: string): number[] =>
  conversationIn(text) === null ? codec.encodePrompt(text) : codec.encodeChat(text);

/** Ids of a labelled pair. */
export const pairIds = (
  codec: PromptCodec,
  { prompt, hack, clean }: { prompt: string; hack: string; clean: string },
): { prompt: number[]; hack: number[]; clean: number[] } => ({
  prompt: givenIds(codec, prompt),
  hack: completionIds(codec, hack),
  clean: completionIds(codec, clean),
});
