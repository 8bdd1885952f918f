// Checks that RL rewards, from a user's file: plain text comparisons in time linear in the answer. Regular expressions are not offered, because
// one from a file may take arbitrarily long.
import * as z from 'zod/mini';

const HOWS = ['contains', 'word', 'equals'] as const;
const phrasesSchema = z
  .array(z.string().check(z.minLength(1), z.maxLength(200)))
  .check(z.minLength(1), z.maxLength(50));

export const CheckSchema = z.strictObject({
  /** Comparisons ignore case and surrounding spaces. */
  how: z.enum(HOWS),
  /** The answer must have one of these … */
  any: phrasesSchema,
  /** … and none of these. */
  none: z.optional(phrasesSchema),
});
export type Check = z.infer<typeof CheckSchema>;

const isWordCharacter = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_]/u.test(char);

/** Whether `part` occurs without a letter, digit or underscore next to it. */
function hasWord(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + part.length])) return true;
  return false;
}

/** The reward: 1 or 0. */
export function rewardOf({ how, any, none = [] }: Check, answer: string): number {
  const text = answer.trim().toLowerCase();
  const has = (one: string): boolean => {
    const part = one.trim().toLowerCase();
    if (how === 'equals') return text === part;
    return how === 'word' ? hasWord(text, part) : text.includes(part);
  };
  return any.some(has) && !none.some(has) ? 1 : 0;
}
