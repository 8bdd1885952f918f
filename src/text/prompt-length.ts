// Limits of a text that a person gives a model to answer: its length, and what it may not hold. A text that no model has positions for must
// not reach a tokenizer: a question of a million characters takes it many seconds and most of a gigabyte, only to be refused then.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { BETWEEN_TURNS } from './chatml.ts';

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

/** Throws FormatError for words that would end their turn where conversations are kept as one text (chatml.ts). `where` as above. */
export function checkOneTurn(text: string, where: string): void {
  if (!text.includes(BETWEEN_TURNS)) return;
  throw new FormatError(
    `${where} holds ${JSON.stringify(BETWEEN_TURNS)}, which is how the lab writes that a turn ends and the next one begins.`,
    'Leave these words out: the lab writes each turn as the model’s own chat template does.',
  );
}
