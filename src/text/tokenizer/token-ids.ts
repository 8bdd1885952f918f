// Checks the ids of a tokenizer.json, which are used as array indices.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { isObject, type Json } from './json.ts';

/** Limit of ids, above the size of any vocabulary. */
const IDS = 2 ** 22;
const REMEDY = 'Use the tokenizer.json that belongs to the model, as Hugging Face writes it.';

/** Throws FormatError that names the token of an invalid id. Other malformed entries are found when the tokenizer is made. */
export function checkTokenIds(tokenizerJson: object): void {
  const { model, added_tokens: added } = tokenizerJson as Json;
  const vocab = isObject(model) ? model.vocab : null;
  // In a list of tokens with scores, the ids are the positions.
  if (isObject(vocab) && !Array.isArray(vocab)) for (const token of Object.keys(vocab)) checkId(token, vocab[token]);
  if (Array.isArray(added)) for (const token of added) if (isObject(token)) checkId(token.content, token.id);
}

function checkId(token: unknown, id: unknown): void {
  if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < IDS) return;
  const [name, found] = [token, id].map((value) => String(JSON.stringify(value)).slice(0, 60));
  throw new FormatError(`tokenizer.json: the id of ${name} is ${found}, not a whole number below ${IDS}.`, REMEDY);
}
