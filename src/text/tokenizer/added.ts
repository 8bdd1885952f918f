// Added tokens, which are searched for in a text before it is split. They come from tokenizer.json and from the files beside it that
// transformers reads too (`added_tokens_decoder` of tokenizer_config.json or, in older models, added_tokens.json).
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { Piece } from './cut.ts';
import { isObject, type Json, listOfObjects, shown, WHITE, WORD } from './json.ts';
import type { Normalize } from './normalize.ts';

export interface Added {
  content: string;
  id: number;
  single_word: boolean;
  lstrip: boolean;
  rstrip: boolean;
  normalized: boolean;
  special: boolean;
}

const REMEDY =
  'Use the tokenizer’s files as they were saved together; where one was edited, save them again from transformers.';

/** Reads an added token of a file; `normalized` is the opposite of `special` by default. */
function addedOf({ content, single_word, lstrip, rstrip, normalized, special }: Json, id: number): Added {
  const isSpecial = special === true;
  return {
    content: String(content),
    id,
    single_word: single_word === true,
    lstrip: lstrip === true,
    rstrip: rstrip === true,
    normalized: typeof normalized === 'boolean' ? normalized : !isSpecial,
    special: isSpecial,
  };
}

const isToken = (value: unknown): value is Json & { content: string } =>
  isObject(value) && typeof value.content === 'string' && value.content !== '';

/**
 * The added tokens of tokenizer.json and those that only tokenizer_config.json names, merged as transformers does: a new token gets the next
 * id, a token in both files gets the config's flags. Throws FormatError if the two files give a token different ids, or if a special
 * token has no id.
 */
export function addedTokensOf(tokenizerJson: Json, tokenizerConfig: Json): Added[] {
  const model = isObject(tokenizerJson.model) ? tokenizerJson.model : {};
  const vocab = vocabOf(model.vocab);
  const added = new Map<string, Added>();
  // The id of the next new token by the Rust library's rule, which ignores the files' ids: above every added token, and at least the
  // vocabulary's size.
  let next = vocab.size;
  const add = (token: Json & { content: string }, wanted: unknown, where: string) => {
    const id = added.get(token.content)?.id ?? vocab.get(token.content) ?? next;
    if (id !== Number(wanted))
      throw new FormatError(
        `${where} gives ${shown(token.content)} the id ${shown(wanted)}; the library that transformers reads it with gives it ${id}.`,
        REMEDY,
      );
    added.set(token.content, addedOf(token, id));
    next = Math.max(next, id + 1);
  };
  for (const token of listOfObjects(tokenizerJson.added_tokens))
    if (isToken(token)) add(token, token.id, 'tokenizer.json: added_tokens');
  const decoder = isObject(tokenizerConfig.added_tokens_decoder) ? tokenizerConfig.added_tokens_decoder : {};
  for (const [key, token] of Object.entries(decoder).sort(([a], [b]) => Number(a) - Number(b)))
    if (isToken(token)) add(token, key, 'tokenizer_config.json: added_tokens_decoder');
  for (const field of ['additional_special_tokens', 'extra_special_tokens'])
    for (const token of namesOf(tokenizerConfig[field]))
      if (!added.has(token) && !vocab.has(token))
        throw new FormatError(
          `tokenizer_config.json: ${field} names ${shown(token)}, to which no file gives an id.`,
          'Take the name away, or add the token to tokenizer.json (and its row to the embedding).',
        );
  return [...added.values()];
}

function vocabOf(vocab: unknown): ReadonlyMap<string, unknown> & Map<string, number> {
  if (Array.isArray(vocab)) return new Map(vocab.map((entry, id) => [String((entry as unknown[])?.[0]), id]));
  return new Map(isObject(vocab) ? (Object.entries(vocab) as [string, number][]) : []);
}

/** The texts of tokens in a list or an object, whose values are strings or token objects. */
function namesOf(tokens: unknown): string[] {
  if (!isObject(tokens)) return [];
  return Object.values(tokens).flatMap((token) =>
    isToken(token) ? token.content : typeof token === 'string' ? token : [],
  );
}

/**
 * Merges added_tokens.json into tokenizer_config.json, as its `added_tokens_decoder` if it has none. If it has one, throws FormatError for a
 * token of added_tokens.json that no other file has.
 */
export function withAddedTokensFile(tokenizerConfig: unknown, addedTokens: unknown, tokenizerJson: unknown): unknown {
  if (!isObject(tokenizerConfig) || !isObject(addedTokens)) return tokenizerConfig;
  const own = isObject(tokenizerJson) ? tokenizerJson : {};
  const there = new Set(listOfObjects(own.added_tokens).map(({ content }) => content));
  const rest = Object.entries(addedTokens).filter(([content]) => !there.has(content));
  const decoder = tokenizerConfig.added_tokens_decoder;
  if (!isObject(decoder)) {
    const special = new Set(
      Object.entries(tokenizerConfig).flatMap(([key, value]) =>
        /_tokens?$/.test(key)
          ? namesOf(Object(value).content ? [value] : typeof value === 'string' ? [value] : value)
          : [],
      ),
    );
    const entries = rest.map(([content, id]) => [String(id), { content, special: special.has(content) }]);
    return { ...tokenizerConfig, added_tokens_decoder: Object.fromEntries(entries) };
  }
  const named = new Set(listOfObjects(Object.values(decoder)).map(({ content }) => content));
  const vocab = vocabOf(isObject(own.model) ? own.model.vocab : null);
  const lost = rest.find(([content]) => !named.has(content) && !vocab.has(content));
  if (lost && isObject(tokenizerJson))
    throw new FormatError(
      `added_tokens.json names ${shown(lost[0])} (${shown(lost[1])}), which neither tokenizer.json nor added_tokens_decoder of tokenizer_config.json has.`,
      REMEDY,
    );
  return tokenizerConfig;
}

/** A part of a text: an added token, or the text between two of them. */
export type Section = Added | Piece;

interface Node {
  next: Map<string, Node>;
  token: Added | null;
}

const IS_WORD = new RegExp(`[${WORD}]`, 'u');
const IS_WHITE = new RegExp(WHITE, 'u');

/** The character before index `at`; '' at the start. */
function before(text: string, at: number): string {
  const char = text.slice(Math.max(0, at - 2), at);
  return [...char].at(-1) ?? '';
}
const after = (text: string, at: number): string =>
  at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : '';

/** Start of the run of white space that ends at `at`, but not before `from`. It steps by UTF-16 units, since no white-space character is
 *  beyond U+FFFF. */
function whiteFrom(text: string, at: number, from: number): number {
  while (at > from && IS_WHITE.test(text[at - 1])) at--;
  return at;
}
function whiteTo(text: string, at: number): number {
  while (at < text.length && IS_WHITE.test(text[at])) at++;
  return at;
}

/** Finds added tokens in a text: always the leftmost, and of several that start there the longest. */
export class AddedTokens {
  readonly #root: Node = { next: new Map(), token: null };

  constructor(tokens: readonly Added[], normalize: Normalize | null) {
    for (const token of tokens) {
      let node = this.#root;
      for (const unit of normalize ? normalize(token.content) : token.content) {
        const next: Node = node.next.get(unit) ?? { next: new Map(), token: null };
        node.next.set(unit, next);
        node = next;
      }
      if (node !== this.#root) node.token ??= token;
    }
  }

  sections({ text, isFirst }: Piece): Section[] {
    const made: Section[] = [];
    let from = 0;
    const plain = (to: number) => {
      if (from < to) made.push({ text: text.slice(from, to), isFirst: isFirst && from === 0 });
    };
    for (let at = 0; at < text.length; ) {
      const found = this.#longest(text, at);
      if (!found) {
        at++;
        continue;
      }
      const { token, end } = found;
      at = end;
      const begin = end - found.length;
      if (token.single_word && (IS_WORD.test(before(text, begin)) || IS_WORD.test(after(text, end)))) continue;
      const start = token.lstrip ? whiteFrom(text, begin, from) : begin;
      plain(start);
      made.push(token);
      from = token.rstrip ? whiteTo(text, end) : end;
    }
    plain(text.length);
    return made;
  }

  #longest(text: string, from: number): { token: Added; end: number; length: number } | null {
    let node: Node | undefined = this.#root;
    let found: { token: Added; end: number; length: number } | null = null;
    for (let at = from; at < text.length; ) {
      const unit = String.fromCodePoint(text.codePointAt(at)!);
      node = node.next.get(unit);
      if (!node) break;
      at += unit.length;
      if (node.token) found = { token: node.token, end: at, length: at - from };
    }
    return found;
  }
}
