// Parts of a tokenizer, whichever form its file has.
import type { Model } from './bpe.ts';
import type { Split } from './cut.ts';
import type { Normalize } from './normalize.ts';

/** All but its added tokens. */
export interface Parts {
  model: Model;
  normalize: Normalize | null;
  split: Split | null;
  decode(tokens: readonly string[]): string;
  /** The bytes that a token of the vocabulary stands for; null where tokens are text. */
  bytes(token: string): readonly number[] | null;
  /** Tokens with those that begin and end a text, where these are wanted. */
  frame(tokens: string[], special: boolean): string[];
}
