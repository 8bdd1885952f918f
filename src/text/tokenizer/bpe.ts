// Byte-pair encoding: the tokens of a piece of text by a list of merges, the earliest merge first and of equal ones the leftmost.
import { byteTokens } from './bytes.ts';

/** A model of a tokenizer.json. */
export interface Model {
  readonly ids: ReadonlyMap<string, number>;
  /** Tokens by id, with holes where the ids have them. */
  readonly tokens: string[];
  /** Id of a text that is in no vocabulary. */
  readonly unknownId: number | undefined;
  /** The tokens of one piece. */
  words(piece: string): string[];
}

/** The model of a tokenizer.json, as it stands there. */
export interface BpeJson {
  vocab: Readonly<Record<string, number>>;
  /** Pairs, or in older files texts with a space between the two. */
  merges: readonly (string | readonly [string, string])[];
  unk_token?: string | null;
  end_of_word_suffix?: string | null;
  byte_fallback?: boolean;
  ignore_merges?: boolean;
  fuse_unk?: boolean;
}

/** Pieces whose tokens are remembered, and the longest of them in UTF-16 units. */
const CACHE = { pieces: 10_000, length: 256 };

export class Bpe implements Model {
  readonly ids: ReadonlyMap<string, number>;
  readonly tokens: string[];
  readonly unknownId: number | undefined;
  readonly #json: BpeJson;
  readonly #merges: readonly (readonly [string, string])[];
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #cache = new Map<string, string[]>();

  /** Throws whatever a malformed model makes it throw. */
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

  /** Null where the vocabulary does not fall back to bytes. */
  #bytes(text: string): string[] | null {
    if (this.#json.byte_fallback !== true) return null;
    const bytes = byteTokens(text);
    return bytes.every((token) => this.ids.has(token)) ? bytes : null;
  }

  /** Tokens of the vocabulary; other text is written in bytes, or as the unknown token. */
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
    // The part behind each, `count` at the end and for a part that was merged into the one before it.
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
      // Another merge may have taken one of the two.
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

/** Different for any two pairs. */
const pairKey = (left: string, right: string): string => `${left.length} ${left}${right}`;

/** Numbers, the smallest first: a binary heap, since a piece without spaces may be a whole book. */
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
