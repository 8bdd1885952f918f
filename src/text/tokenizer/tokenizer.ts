// A tokenizer.json with the ids of the Rust library: added tokens, then normalizer, pre-tokenizer, model and post-processor, and the decoder
// back. The lab's own form is made here; all others arrive with foreign.ts.
import { type Added, AddedTokens, addedTokensOf } from './added.ts';
import { Bpe, type BpeJson } from './bpe.ts';
import { byteCharacters, textOfBytes, tokenBytes } from './bytes.ts';
import { by } from './cut.ts';
import { isOwnForm } from './form.ts';
import { type Json, WHITE } from './json.ts';
import type { Parts } from './parts.ts';

export interface Tokenizer {
  /** One above the largest id. */
  readonly vocabSize: number;
  /** Encodes a text, with the tokens that begin and end it where `add_special_tokens` says so. */
  encode(text: string, settings: { add_special_tokens: boolean }): { ids: number[]; tokens: string[] };
  /** Special tokens keep their characters; an id that the tokenizer does not have is no text. */
  decode(ids: readonly number[]): string;
  idOf(token: string): number | undefined;
  /** The bytes that an id stands for, where its tokens are bytes; null where they are text. */
  bytesOf(id: number): readonly number[] | null;
}

/** Parsed tokenizer.json and tokenizer_config.json. Throws FormatError for unsupported parts, and whatever malformed files make it throw. */
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

/** PRETOKENIZE in JavaScript, whose own `\s` is other white space. */
const WORDS = new RegExp(
  String.raw`[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^${WHITE}\p{L}\p{N}]+[\r\n]*|${WHITE}*[\r\n]+|${WHITE}+(?!\P{White_Space})|${WHITE}+`,
  'gu',
);

/** The parts that `FORM` says. */
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
      // A token that is in no vocabulary has the id that the model gives it, which may be none: the caller looks.
      return { tokens, ids: tokens.map((token) => (idOf(token) ?? model.unknownId) as number) };
    },
    decode: (given) => decode(given.map((id) => byId[id]).filter((token) => token !== undefined)),
    idOf,
    bytesOf: (id) => (byId[id] === undefined || ids.has(byId[id]) ? null : bytes(byId[id])),
  };
}
