// A tokenizer as the lab uses it: text to ids and back, with the special tokens of a chat model. Made from Hugging Face tokenizer files (the
// embedded model's and any Qwen's alike), by `@huggingface/tokenizers`.
import { Tokenizer } from '@huggingface/tokenizers';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { checkTokenizerBounds } from './tokenizer-bounds.ts';

export interface TextCodec {
  readonly vocabSize: number;
  encode(text: string): number[];
  /** Special tokens are kept in the text, so that decode(encode(t)) === t. */
  decode(ids: readonly number[]): string;
  /** Ids that end an assistant turn (`<|im_end|>`, …), at most two. */
  readonly endTokens: readonly number[];
  readonly padToken: number;
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

/**
 * Parsed tokenizer.json and tokenizer_config.json → codec. Ends of turn are the config's eos token, then
 * `<|im_end|>` or `<|endoftext|>`, whichever else exists. Throws FormatError.
 */
export function loadCodec(tokenizerJson: object, tokenizerConfig: object): PromptCodec {
  checkTokenizerBounds(tokenizerJson);
  let tokenizer: Tokenizer;
  try {
    tokenizer = new Tokenizer(tokenizerJson, tokenizerConfig);
  } catch (cause) {
    throw new FormatError(`the tokenizer cannot be read: ${String(cause)}`, REMEDY, { cause });
  }
  const config = tokenizerConfig as {
    eos_token?: unknown;
    pad_token?: unknown;
    bos_token?: unknown;
    add_bos_token?: unknown;
  };
  const idOf = (token: string | undefined) => (token === undefined ? undefined : tokenizer.token_to_id(token));
  const ends = [namedToken(config.eos_token), '<|im_end|>', '<|endoftext|>'].map(idOf).filter((id) => id !== undefined);
  if (ends.length === 0) throw new FormatError('the tokenizer has no end token', REMEDY);
  const endTokens = [...new Set(ends)].slice(0, 2);
  let vocabSize = 0;
  for (const id of tokenizer.get_vocab(true).values()) vocabSize = Math.max(vocabSize, id + 1);
  /** A file that could be built from may still fail on a text; then it is the file's fault, and said so. */
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
    padToken: idOf(namedToken(config.pad_token)) ?? endTokens[0],
    encode,
    encodePrompt: (text) => {
      // The post-processor of tokenizer.json knows what a text begins with; some leave it to add_bos_token.
      const ids = idsOf(text, true);
      const bos = config.add_bos_token === true ? idOf(namedToken(config.bos_token)) : undefined;
      return bos === undefined || ids[0] === bos ? ids : [bos, ...ids];
    },
    decode: (ids) =>
      ids.length === 0
        ? ''
        : whole('decode ids', () =>
            tokenizer.decode([...ids], { skip_special_tokens: false, clean_up_tokenization_spaces: false }),
          ),
  };
}

/** Ids of a completion that ends its turn. */
export const completionIds = (codec: TextCodec, text: string): number[] => [...codec.encode(text), codec.endTokens[0]];
