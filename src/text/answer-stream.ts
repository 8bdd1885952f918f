// Streams an answer's text while its tokens come: only whole characters are shown, text that may be the beginning of a stop text is held
// back until that is decided, and the answer is over once a stop text has come. All pieces joined are the text of the whole answer.
import { answerText, continuation } from './answer.ts';
import type { TextCodec } from './codec.ts';

/** Number of earlier tokens that are decoded together with the new ones: a decoder may write a token differently at a text's beginning. */
const CONTEXT = 8;
/** Replacement characters at a text's end that may stand for a character's first bytes: a character in UTF-8 has at most four bytes. */
const MAY_BE_PART = /\uFFFD{1,3}$/;
/** Most tokens that are held back to wait for a character's last byte; a character never takes more. */
const MOST_HELD = 32;

export class AnswerStream {
  readonly ids: number[] = [];
  /** Whether an end token has come. */
  ended = false;
  /** Whether a stop text has come. */
  stopped = false;
  /** The text decoded so far, without the bytes that wait for the rest of their character. */
  #text = '';
  /** Number of characters of `#text` that were given out. */
  #shown = 0;
  #context: number[];
  /** Ids after the context whose text is not yet completely in `#text`; `#taken` is the number of its characters that are. */
  #pending: number[] = [];
  #taken = 0;
  readonly #longestStop: number;

  constructor(
    private readonly codec: TextCodec,
    private readonly prompt: readonly number[],
    private readonly endTokens: readonly number[],
    private readonly stops: readonly string[],
  ) {
    this.#context = prompt.slice(-CONTEXT);
    this.#longestStop = Math.max(0, ...stops.map(({ length }) => length));
  }

  get isOver(): boolean {
    return this.ended || this.stopped;
  }

  /** All text that was given out so far. */
  get shown(): string {
    return this.#text.slice(0, this.#shown);
  }

  /** Takes the next token and returns the text that it makes certain; text after an end token or a stop text is no part of the answer. */
  push(id: number): string {
    if (this.isOver) return '';
    this.ids.push(id);
    if (this.endTokens.includes(id)) {
      this.ended = true;
      return '';
    }
    this.#pending.push(id);
    const before = this.#text.length;
    this.#decode();
    if (this.#text.length > before) this.#findStop(before);
    return this.#show(this.stopped ? this.#text.length : this.#text.length - this.#heldLength());
  }

  /** Returns the text that was still held back; to be called when no more tokens come. */
  finish(): string {
    if (!this.stopped) {
      const whole = answerText(this.codec, this.prompt, this);
      const before = this.#text.length;
      if (whole.startsWith(this.shown)) this.#text = whole;
      if (this.#text.length > before) this.#findStop(before);
    }
    return this.#show(this.#text.length);
  }

  #show(to: number): string {
    const from = this.#shown;
    this.#shown = Math.max(from, to);
    return this.#text.slice(from, this.#shown);
  }

  #decode(): void {
    const { codec } = this;
    const context = codec.decode(this.#context);
    const whole = codec.decode([...this.#context, ...this.#pending]);
    // A context that begins within a character may decode to another text; then the whole answer is decoded.
    const text = whole.startsWith(context)
      ? whole.slice(context.length)
      : continuation(codec, this.prompt, this.ids).slice(this.#text.length - this.#taken);
    const held = this.#pending.length > MOST_HELD ? 0 : (MAY_BE_PART.exec(text)?.[0].length ?? 0);
    const sure = text.length - held;
    if (sure > this.#taken) {
      this.#text += text.slice(this.#taken, sure);
      this.#taken = sure;
    }
    if (held > 0) return;
    this.#context = [...this.#context, ...this.#pending].slice(-CONTEXT);
    this.#pending = [];
    this.#taken = 0;
  }

  /** Cuts the text at the first stop text that ends after position `from`. */
  #findStop(from: number): void {
    const begin = Math.max(0, from - this.#longestStop);
    const found = this.stops.map((stop) => this.#text.indexOf(stop, begin)).filter((at) => at >= 0);
    if (found.length === 0) return;
    this.#text = this.#text.slice(0, Math.min(...found));
    this.stopped = true;
  }

  /** Number of characters at the end that may be the beginning of a stop text. */
  #heldLength(): number {
    return heldLength(this.#text, this.stops);
  }
}

/** Length of the longest end of `text` that is a proper prefix of one of `marks`. */
export function heldLength(text: string, marks: readonly string[]): number {
  let held = 0;
  for (const mark of marks) {
    for (let length = Math.min(mark.length - 1, text.length); length > held; length--) {
      if (!text.endsWith(mark.slice(0, length))) continue;
      held = length;
      break;
    }
  }
  return held;
}
