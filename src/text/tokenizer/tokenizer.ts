// Runs a tokenizer.json with the same ids as Hugging Face's Rust library ("the Rust library" in this folder). A text passes through added
// tokens, normalizer, pre-tokenizer, model and post-processor, and ids through the decoder. Files of the lab's own form (form.ts) are
// opened here; all others by foreign.ts, which is loaded on demand.
import { type Added, AddedTokens, addedTokensOf } from './added.ts';
import { Bpe, type BpeJson } from './bpe.ts';
import { byteCharacters, textOfBytes, tokenBytes } from './bytes.ts';
import { by } from './cut.ts';
import { isOwnForm } from './form.ts';
import { type Json, WHITE } from './json.ts';
import type { Parts } from './parts.ts';

export interface Tokenizer {
  /** One more than the largest id. */
  readonly vocabSize: number;
  /** Encodes a text; with `add_special_tokens`, the tokens that begin and end a text are added. */
  encode(text: string, settings: { add_special_tokens: boolean }): { ids: number[]; tokens: string[] };
  /** Decodes ids; special tokens are kept as text, and ids that the tokenizer does not have are dropped. */
  decode(ids: readonly number[]): string;
  idOf(token: string): number | undefined;
  /** The bytes that an id stands for; null for a token that stands for text. */
  bytesOf(id: number): readonly number[] | null;
}

/** Makes a tokenizer of a parsed tokenizer.json and tokenizer_config.json. Throws FormatError for unsupported parts, and may throw any error
 *  for malformed files. */
export async function openTokenizer(tokenizerJson: object, tokenizerConfig: object): Promise<Tokenizer> {
  const json = tokenizerJson as Json;
  const config = tokenizerConfig as Json;
  for (const part of ['model', 'normalizer', 'pre_tokenizer', 'decoder'])
    if (!(part in json)) throw new Error(`tokenizer.json has no "${part}"`);
  const added = addedTokensOf(json, config);
  const parts = isOwnForm(json)
    ? ownParts(json.model as BpeJson, added)
    : (await import('./foreign.ts')).foreignParts(json, config, added);
  return tokenizerOf(parts, added);
}

/** PRETOKENIZE as a JavaScript pattern, with Rust's white space in place of `\s`. */
const WORDS = new RegExp(
  String.raw`[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^${WHITE}\p{L}\p{N}]+[\r\n]*|${WHITE}*[\r\n]+|${WHITE}+(?!\P{White_Space})|${WHITE}+`,
  'gu',
);

/** The parts of a tokenizer of the lab's own form. */
export function ownParts(model: BpeJson, added: readonly Added[]): Parts {
  const names = new Set(added.map(({ content }) => content));
  const words = by(WORDS, 'Isolated');
  return {
    model: new Bpe(model),
    normalize: null,
    split: (piece) => words(piece).map((word) => ({ ...word, text: byteCharacters(word.text) })),
    decode: (tokens) => textOfBytes(tokens, (token) => names.has(token)),
    bytes: tokenBytes,
    frame: (tokens) => tokens,
  };
}

function tokenizerOf({ model, normalize, split, decode, bytes, frame }: Parts, added: readonly Added[]): Tokenizer {
  const { tokens: byId } = model;
  for (const { content, id } of added) byId[id] = content;
  const ids = new Map(added.map(({ content, id }) => [content, id]));
  const idOf = (token: string) => ids.get(token) ?? model.ids.get(token);
  const raw = new AddedTokens(
    added.filter(({ normalized }) => !normalized),
    null,
  );
  const normal = new AddedTokens(
    added.filter(({ normalized }) => normalized),
    normalize,
  );
  const tokensOf = (text: string): string[] =>
    raw.sections({ text, isFirst: true }).flatMap((section) => {
      if ('content' in section) return section.content;
      const piece = { ...section, text: normalize ? normalize(section.text) : section.text };
      return normal.sections(piece).flatMap((inner) => {
        if ('content' in inner) return inner.content;
        return (split ? split(inner) : [inner]).flatMap(({ text: word }) => model.words(word));
      });
    });
  return {
    vocabSize: byId.length,
    encode(text, { add_special_tokens: special }) {
      const tokens = frame(tokensOf(text), special);
      // A token outside the vocabulary gets the model's unknown id, which may be undefined; the caller checks that.
      return { tokens, ids: tokens.map((token) => (idOf(token) ?? model.unknownId) as number) };
    },
    decode: (given) => decode(given.map((id) => byId[id]).filter((token) => token !== undefined)),
    idOf,
    bytesOf: (id) => (byId[id] === undefined || ids.has(byId[id]) ? null : bytes(byId[id])),
  };
}
