// Limits of a text that a user gives a model to answer: its length, and what it may not contain. A text that is too long for any model's
// context must not reach a tokenizer, which takes many seconds and most of a gigabyte for a question of a million characters.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { BETWEEN_TURNS } from './chatml.ts';

/** In characters: about 25,000 tokens of English, many times the longest problem of any benchmark that the lab reads. */
const MAX_PROMPT = 100_000;

/** Throws FormatError for a text that is too long. `where` names the text and where it came from: `problems.jsonl:3: the question`. */
export function checkPromptLength(text: { readonly length: number }, where: string): void {
  if (text.length <= MAX_PROMPT) return;
  throw new FormatError(
    `${where} has ${text.length.toLocaleString('en')} characters; at most ${MAX_PROMPT.toLocaleString('en')} can be asked.`,
    'Shorten it, or split it into several.',
  );
}

/** Throws FormatError for a text that contains the boundary between turns of the notation in which conversations are kept as one text
 *  (chatml.ts). `where` is as above. */
export function checkOneTurn(text: string, where: string): void {
  if (!text.includes(BETWEEN_TURNS)) return;
  throw new FormatError(
    `${where} holds ${JSON.stringify(BETWEEN_TURNS)}, which is how the lab writes that a turn ends and the next one begins.`,
    'Leave these words out: the lab writes each turn as the model’s own chat template does.',
  );
}
