// How long a text may be that a person gives a model to answer. What no model has positions for must not reach a tokenizer: a question of a
// million characters takes it many seconds and most of a gigabyte, only to be refused then. A leaf.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';

/** Characters; some 25,000 tokens of English, many times the longest problem of any benchmark that the lab reads. */
const MAX_PROMPT = 100_000;

/** `where` names the text and the place that it came from: `problems.jsonl:3: the question`. Throws FormatError. */
export function checkPromptLength(text: { readonly length: number }, where: string): void {
  if (text.length <= MAX_PROMPT) return;
  throw new FormatError(
    `${where} has ${text.length.toLocaleString('en')} characters; at most ${MAX_PROMPT.toLocaleString('en')} can be asked.`,
    'Shorten it, or split it into several.',
  );
}
