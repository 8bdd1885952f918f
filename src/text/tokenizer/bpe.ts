// Byte-pair encoding: merges the characters of a piece of text into tokens. The merge that comes first in the list is applied first, and of
// several places for the same merge the leftmost.
import { byteTokens } from './bytes.ts';

/** The model of a tokenizer.json, which turns pieces of text into tokens. */
export interface Model {
  readonly ids: ReadonlyMap<string, number>;
  /** Tokens by id; the array has holes where ids are missing. */
  readonly tokens: string[];
  /** Id of the token for text that is not in the vocabulary. */
  readonly unknownId: number | undefined;
  /** The tokens of one piece of text. */
  words(piece: string): string[];
}

/** The JSON of a BPE model in tokenizer.json. */
export interface BpeJson {
  vocab: Readonly<Record<string, number>>;
  /** Pairs of tokens; in older files strings in which a space separates the two. */
  merges: readonly (string | readonly [string, string])[];
  unk_token?: string | null;
  end_of_word_suffix?: string | null;
  byte_fallback?: boolean;
  ignore_merges?: boolean;
  fuse_unk?: boolean;
}

/** Number of pieces whose tokens are cached, and the limit of their length in UTF-16 units. */
const CACHE = { pieces: 10_000, length: 256 };

export class Bpe implements Model {
  readonly ids: ReadonlyMap<string, number>;
  readonly tokens: string[];
  readonly unknownId: number | undefined;
  readonly #json: BpeJson;
  readonly #merges: readonly (readonly [string, string])[];
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #cache = new Map<string, string[]>();

  /** May throw any error if the model is malformed. */
  constructor(json: BpeJson) {
    this.#json = json;
    this.ids = new Map(Object.entries(json.vocab));
    this.tokens = new Array<string>(this.ids.size);
    for (const [token, id] of this.ids) this.tokens[id] = token;
    this.unknownId = json.unk_token == null ? undefined : this.ids.get(json.unk_token);
    const isPaired = Array.isArray(json.merges[0]);
    this.#merges = json.merges.map((merge) => (isPaired ? merge : (merge as string).split(' ', 2)) as [string, string]);
    this.#ranks = new Map(this.#merges.map(([left, right], rank) => [pairKey(left, right), rank]));
  }

  words(piece: string): string[] {
    const { unk_token: unknown, fuse_unk: isFused } = this.#json;
    // Without an unknown token, unknown characters are dropped before tokens are merged, not after.
    if (unknown == null) return this.#known(this.ids.has(piece) ? piece : this.#withoutUnknown(piece));
    const tokens = this.#known(piece);
    return isFused ? tokens.filter((token, i) => token !== unknown || tokens[i - 1] !== unknown) : tokens;
  }

  #withoutUnknown(piece: string): string {
    return [...piece].filter((char) => this.ids.has(char) || this.#bytes(char) !== null).join('');
  }

  /** The byte tokens of a text; null if the vocabulary does not have them. */
  #bytes(text: string): string[] | null {
    if (this.#json.byte_fallback !== true) return null;
    const bytes = byteTokens(text);
    return bytes.every((token) => this.ids.has(token)) ? bytes : null;
  }

  /** The tokens of a piece, where text that is not in the vocabulary becomes byte tokens or the unknown token. */
  #known(piece: string): string[] {
    const { unk_token: unknown, ignore_merges } = this.#json;
    if (ignore_merges && this.ids.has(piece)) return [piece];
    return this.#merged(piece).flatMap((token) => {
      if (this.ids.has(token)) return token;
      return this.#bytes(token) ?? (unknown == null ? [] : unknown);
    });
  }

  #merged(piece: string): string[] {
    const cached = this.#cache.get(piece);
    if (cached) return cached;
    const tokens = this.#merge(piece);
    if (piece.length < CACHE.length) {
      if (this.#cache.size >= CACHE.pieces) this.#cache.clear();
      this.#cache.set(piece, tokens);
    }
    return tokens;
  }

  #merge(piece: string): string[] {
    const parts = Array.from(piece);
    const count = parts.length;
    if (count > 0) parts[count - 1] += this.#json.end_of_word_suffix ?? '';
    // Index of the part after each part; `count` for the last part and for parts that were merged into the one before.
    const next = parts.map((_, at) => at + 1);
    const previous = parts.map((_, at) => at - 1);
    const queue = new Queue();
    const consider = (at: number) => {
      if (at < 0 || next[at] === count) return;
      const rank = this.#ranks.get(pairKey(parts[at], parts[next[at]]));
      if (rank !== undefined) queue.push(rank * count + at);
    };
    for (let at = 0; at < count; at++) consider(at);
    for (let first = queue.pop(); first !== undefined; first = queue.pop()) {
      const at = first % count;
      const to = next[at];
      const [left, right] = this.#merges[Math.floor(first / count)];
      // An earlier merge may have consumed one of the two parts.
      if (to === count || parts[at] !== left || parts[to] !== right) continue;
      parts[at] = left + right;
      parts[to] = '';
      next[at] = next[to];
      next[to] = count;
      if (next[at] < count) previous[next[at]] = at;
      consider(previous[at]);
      consider(at);
    }
    return parts.filter((part) => part !== '');
  }
}

/** A key that is unique for each pair. */
const pairKey = (left: string, right: string): string => `${left.length} ${left}${right}`;

/** A queue that returns the smallest number first. It is a binary heap, since a piece without spaces may be as long as a book. */
class Queue {
  readonly #heap: number[] = [];

  push(value: number): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (heap[above] <= value) break;
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = value;
  }

  pop(): number | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      if (below + 1 < heap.length && heap[below + 1] < heap[below]) below++;
      if (last <= heap[below]) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = last;
    return first;
  }
}
