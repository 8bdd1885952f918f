// A tokenizer as the lab uses it: text to ids and back, with the special tokens of a chat model. Leaf.

export interface TextCodec {
  readonly vocabSize: number;
  encode(text: string): number[];
  /** Special tokens are kept in the text, so that decode(encode(t)) === t. */
  decode(ids: readonly number[]): string;
  /** Ids that end an assistant turn (`<|im_end|>`, …), at most two. */
  readonly endTokens: readonly number[];
  readonly padToken: number;
}
