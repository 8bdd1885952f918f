// A model's output, as ids and as words: where an answer ends, and its text. Page and command line read answers by these alone, so that
// they say the same.
import type { TextCodec } from './codec.ts';

interface CutAnswer {
  /** Up to and including the id that ended it. */
  ids: number[];
  ended: boolean;
}

/** Keeps an answer up to the first id that ends it. */
export function cutAtEnd(tokens: readonly number[], endTokens: readonly number[]): CutAnswer {
  const at = tokens.findIndex((id) => endTokens.includes(id));
  return { ids: tokens.slice(0, at < 0 ? tokens.length : at + 1), ended: at >= 0 };
}

/** Some decoders drop a space at the beginning of their input, so the prompt is decoded along and cut off. */
export function continuation(codec: TextCodec, prompt: readonly number[], ids: readonly number[]): string {
  const before = codec.decode(prompt);
  const whole = codec.decode([...prompt, ...ids]);
  return whole.startsWith(before) ? whole.slice(before.length) : codec.decode(ids);
}

/** The answer without the id that ended it. */
export function answerText(codec: TextCodec, prompt: readonly number[], { ids, ended }: CutAnswer): string {
  return continuation(codec, prompt, ended ? ids.slice(0, -1) : ids);
}

/** Text that each token adds, as tokens come. A replacement character at the end may be the first half of a character whose other half is
 *  still to come: it is held back, until `isFinal` says that nothing comes. All pieces joined are the text. */
export class TokenPieces {
  readonly #codec: TextCodec;
  readonly #prompt: readonly number[];
  #shown = 0;
  #count = 0;

  constructor(codec: TextCodec, prompt: readonly number[] = []) {
    this.#codec = codec;
    this.#prompt = prompt;
  }

  /** Returns the texts of the tokens that are new since the last call: `ids` are all so far. */
  next(ids: readonly number[], isFinal: boolean): string[] {
    const texts: string[] = [];
    for (; this.#count < ids.length; this.#count++) {
      const text = continuation(this.#codec, this.#prompt, ids.slice(0, this.#count + 1));
      const isLast = isFinal && this.#count === ids.length - 1;
      const whole = isLast ? text : text.replace(/\uFFFD+$/, '');
      texts.push(whole.slice(this.#shown));
      this.#shown = Math.max(this.#shown, whole.length);
    }
    return texts;
  }
}
