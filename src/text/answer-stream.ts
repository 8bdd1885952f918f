// An answer's text while its tokens come: what can be shown is shown as whole characters, text that may begin a stop is held until it is
// known, and the answer is over where a stop has come. All pieces together are the text of the whole answer.
import { answerText, continuation } from './answer.ts';
import type { TextCodec } from './codec.ts';

/** Tokens before the new ones that are decoded with them: a decoder may write a token otherwise at a text's beginning. */
const CONTEXT = 8;
/** Marks at a text's end that may be a character's first bytes: no character has more than four. */
const MAY_BE_PART = /\uFFFD{1,3}$/;
/** Tokens that are held for a character's last byte; more of them are no character. */
const MOST_HELD = 32;

export class AnswerStream {
  readonly ids: number[] = [];
  /** Whether an end token has come. */
  ended = false;
  /** Whether a stop text has come. */
  stopped = false;
  /** Decoded so far, without what waits for a character's last byte. */
  #text = '';
  /** Characters of it that were given out. */
  #shown = 0;
  #context: number[];
  /** Ids behind the context whose text is not in `#text` as a whole, and how much of it is. */
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

  /** Text that was given out. */
  get shown(): string {
    return this.#text.slice(0, this.#shown);
  }

  /** The text that a further token makes certain; text after an end or a stop is no part of the answer. */
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

  /** The rest, when no token comes any more. */
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
    // A context that begins within a character may read otherwise: then all is decoded.
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

  /** Cuts the text at the first stop that ends behind `from`. */
  #findStop(from: number): void {
    const begin = Math.max(0, from - this.#longestStop);
    const found = this.stops.map((stop) => this.#text.indexOf(stop, begin)).filter((at) => at >= 0);
    if (found.length === 0) return;
    this.#text = this.#text.slice(0, Math.min(...found));
    this.stopped = true;
  }

  /** Characters at the end that a stop may begin with. */
  #heldLength(): number {
    return heldLength(this.#text, this.stops);
  }
}

/** Length of the longest end of `text` that is the beginning of one of `marks`, and not all of it. */
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
