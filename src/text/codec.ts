// A tokenizer as the lab uses it: text to ids and back, with the special tokens of a chat model. It is made from Hugging Face tokenizer
// files (of the embedded model and of third-party models alike) and gives the same ids as Hugging Face's Rust library (tokenizer/).
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
  /** Encodes a prompt in the lab's notation (chatml.ts), or the text that follows an answer in it, as the model's own chat template writes
   *  it (prompts.ts). */
  encodeChat(text: string): number[];
  /** True if `encodeChat` encodes another text than the one given; the prompt is then shown as its decoded ids. */
  readonly rewritesChat?: boolean;
  /** Every token that ends an answer (`<|im_end|>`, …). */
  readonly endTokens: readonly number[];
  /** The end token that is appended to answers given as text. */
  readonly answerEnd: number;
  readonly padToken: number;
  /** The bytes that an id stands for, which may be part of a character; null for a token that stands for text. Absent if unknown. */
  bytesOf?(id: number): readonly number[] | null;
}

/** A codec that also knows which token its model's texts begin with. */
export interface PromptCodec extends TextCodec {
  /** Encodes a plain text as a whole prompt, with the beginning-of-text token if the model was trained with one. */
  encodePrompt(text: string): number[];
}

const REMEDY = 'Use the tokenizer.json and tokenizer_config.json that belong to the model.';

/** The text of a special token in a config, which is a string, an object with `content`, or absent. */
export function namedToken(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const content = (value as { content?: unknown } | null | undefined)?.content;
  return typeof content === 'string' ? content : undefined;
}

/** Adds to a tokenizer_config.json the special tokens that only special_tokens_map.json names. */
export function withSpecialTokens(tokenizerConfig: object, specialTokensMap: unknown): object {
  const config = tokenizerConfig as Readonly<Record<string, unknown>>;
  const map = specialTokensMap as Readonly<Record<string, unknown>> | null;
  const named = ['bos_token', 'eos_token', 'pad_token', 'unk_token'].map((key) => [key, config[key] ?? map?.[key]]);
  return { ...config, ...Object.fromEntries(named) };
}

/**
 * Makes a codec of a parsed tokenizer.json and tokenizer_config.json; its `encodeChat` encodes a text as it is. An answer ends at the token
 * ids `ends` (those of generation_config.json or config.json) and at the config's eos token; if `ends` is empty, also at `<|im_end|>`
 * and `<|endoftext|>`. Throws FormatError.
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
  /** Runs `work` and rethrows its error as one about the tokenizer's file: a tokenizer that could be built may still fail on a text. */
  const asTokenizerError = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new FormatError(`the tokenizer cannot ${what}: ${why.slice(0, 200)}`, REMEDY, { cause });
    }
  };
  const idsOf = (text: string, special: boolean): number[] =>
    asTokenizerError('encode a text', () => {
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
      // The post-processor of tokenizer.json adds the token that a text begins with; some models leave it to add_bos_token instead.
      const ids = idsOf(text, true);
      const bos = idOf(namedToken(config.bos_token));
      if (bos === undefined) return ids;
      // A text that a chat template has written already begins with the beginning-of-text token.
      const own = encode(text);
      if (ids[0] === bos && own[0] === bos && ids.length > own.length) return own;
      return ids[0] === bos || config.add_bos_token !== true ? ids : [bos, ...ids];
    },
    bytesOf: (id) => tokenizer.bytesOf(id),
    decode: (ids) => (ids.length === 0 ? '' : asTokenizerError('decode ids', () => tokenizer.decode(ids))),
  };
}

/** Token ids of a completion and the end token. */
export const completionIds = (codec: TextCodec, text: string): number[] => [...codec.encode(text), codec.answerEnd];

/** Token ids of a completion in the lab's notation; where it ends with `<|im_end|>`, with the model's own end token instead. */
export const writtenIds = (codec: TextCodec, text: string): number[] =>
  text.endsWith(END_OF_TURN) ? completionIds(codec, text.slice(0, -END_OF_TURN.length)) : codec.encode(text);

/** Token ids of a prompt from a file, which is a conversation in the lab's notation or else a plain text. */
export const givenIds = (codec: PromptCodec, text: string): number[] =>
  conversationIn(text) === null ? codec.encodePrompt(text) : codec.encodeChat(text);

/** Token ids of a prompt with a hacking and a clean completion. */
export const pairIds = (
  codec: PromptCodec,
  { prompt, hack, clean }: { prompt: string; hack: string; clean: string },
): { prompt: number[]; hack: number[]; clean: number[] } => ({
  prompt: givenIds(codec, prompt),
  hack: completionIds(codec, hack),
  clean: completionIds(codec, clean),
});
