// The parts of a tokenizer, which are the same for every form of its file.
import type { Model } from './bpe.ts';
import type { Split } from './cut.ts';
import type { Normalize } from './normalize.ts';

/** All parts except the added tokens. */
export interface Parts {
  model: Model;
  normalize: Normalize | null;
  split: Split | null;
  decode(tokens: readonly string[]): string;
  /** The bytes that a token of the vocabulary stands for; null if it stands for text. */
  bytes(token: string): readonly number[] | null;
  /** Adds the tokens that begin and end a text if `special` is true. */
  frame(tokens: string[], special: boolean): string[];
}
