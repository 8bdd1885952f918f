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

/** A codec that also knows what its model's texts begin with. */
export interface PromptCodec extends TextCodec {
  /** A plain text as a whole prompt: with the beginning-of-text token, where the model was trained with one. */
  encodePrompt(text: string): number[];
}
