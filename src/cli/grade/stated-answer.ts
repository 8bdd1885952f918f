// The `answer` of a problem's line: one number, read exactly from its text.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonNumbersAsTexts } from '@projected-grpo-lab/base/json.ts';
import { type NumberRead, readStatedNumber } from '../../lib/exact/read-number.ts';

const REMEDY =
  'Write the number alone (42, -1.5e3, 1,234, 3/4, \\frac{3}{4}), in \\boxed{} or behind ####: docs/tutorials/your-problems.md lists what is read.';
const SHOWN = 60;

/** `line` is the text of `value`, whose numbers JSON.parse has rounded. Null where the line has no answer. Throws FormatError, naming the
 *  place, for an answer that is not exactly one number. */
export function statedAnswer(value: unknown, line: string, where: string): NumberRead | null {
  const answer = (value as { answer?: unknown } | null)?.answer;
  if (answer === undefined || answer === null) return null;
  if (typeof answer !== 'string' && typeof answer !== 'number')
    throw new FormatError(`${where}: answer is neither a text nor a number.`, REMEDY);
  // Numbers become texts here as well.
  const text = (parseJsonNumbersAsTexts(line) as { answer: string }).answer;
  const read = readStatedNumber(text);
  if ('value' in read) return read;
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  throw new FormatError(`${where}: answer ${JSON.stringify(shown)} ${read.why}.`, REMEDY);
}
