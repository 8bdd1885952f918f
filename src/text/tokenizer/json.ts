// Helpers for reading a tokenizer.json: type guards, the Rust library's classes of white space and punctuation, and errors.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
export const listOfObjects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Unicode's White_Space, as in Rust; JavaScript's \s also has U+FEFF, and lacks U+0085. */
export const WHITE = String.raw`\p{White_Space}`;
/** The character class \w of Rust's regular expressions. */
export const WORD = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`;
export const PUNCTUATION = '\\p{P}!-/:-@[-`{-~';

const REMEDY = 'Use the tokenizer.json that belongs to the model. What its tokens would be is not known here.';

/** The error for a step or a setting with which the ids would differ from those of the Rust library. */
export function unsupported(what: string): FormatError {
  return new FormatError(`tokenizer.json: ${what} is not supported.`, REMEDY);
}

/** A value of the file as it is shown in a message. */
export const shown = (value: unknown): string => String(JSON.stringify(value)).slice(0, 80);
