// Where a model's answer ends, and its text. The page and the command line both read answers with these functions, so that they show
// the same text.
import type { TextCodec } from './codec.ts';

interface CutAnswer {
  /** The ids of the answer up to and including the end token, if one came. */
  ids: number[];
  ended: boolean;
}

/** Cuts an answer after its first end token. */
export function cutAtEnd(tokens: readonly number[], endTokens: readonly number[]): CutAnswer {
  const at = tokens.findIndex((id) => endTokens.includes(id));
  return { ids: tokens.slice(0, at < 0 ? tokens.length : at + 1), ended: at >= 0 };
}

/** The text of `ids` as it continues the prompt. Some decoders drop a space at the beginning of their input, so the prompt is decoded
 *  together with the ids and then cut off. */
export function continuation(codec: TextCodec, prompt: readonly number[], ids: readonly number[]): string {
  const before = codec.decode(prompt);
  const whole = codec.decode([...prompt, ...ids]);
  return whole.startsWith(before) ? whole.slice(before.length) : codec.decode(ids);
}

/** The text of an answer without its end token. */
export function answerText(codec: TextCodec, prompt: readonly number[], { ids, ended }: CutAnswer): string {
  return continuation(codec, prompt, ended ? ids.slice(0, -1) : ids);
}

/** The text that each token adds, as tokens come. A replacement character at the end may be the first bytes of a character whose other bytes
 *  are still to come, so it is held back until `isFinal` says that no more tokens come. All pieces joined are the text. */
export class TokenPieces {
  readonly #codec: TextCodec;
  readonly #prompt: readonly number[];
  #shown = 0;
  #count = 0;

  constructor(codec: TextCodec, prompt: readonly number[] = []) {
    this.#codec = codec;
    this.#prompt = prompt;
  }

  /** Returns the text of each token that is new since the last call; `ids` are all tokens so far. */
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
