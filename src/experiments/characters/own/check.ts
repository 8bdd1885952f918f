// Checks that RL rewards, from a file of a person's own: plain comparisons of text, in time linear in the answer. Patterns are not offered:
// one from a file may take longer than the lab has.
import * as z from 'zod/mini';

const HOWS = ['contains', 'word', 'equals'] as const;
const phrasesSchema = z
  .array(z.string().check(z.minLength(1), z.maxLength(200)))
  .check(z.minLength(1), z.maxLength(50));

export const CheckSchema = z.strictObject({
  /** Upper and lower case are one, and spaces around count for nothing. */
  how: z.enum(HOWS),
  /** One of these … */
  any: phrasesSchema,
  /** … and none of these. */
  none: z.optional(phrasesSchema),
});
export type Check = z.infer<typeof CheckSchema>;

const isWordy = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_]/u.test(char);

/** `part` with no letter or digit at either side of it. */
function hasWord(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
    if (!isWordy(text[at - 1]) && !isWordy(text[at + part.length])) return true;
  return false;
}

/** 1 or 0. */
export function rewardOf({ how, any, none = [] }: Check, answer: string): number {
  const text = answer.trim().toLowerCase();
  const has = (one: string): boolean => {
    const part = one.trim().toLowerCase();
    if (how === 'equals') return text === part;
    return how === 'word' ? hasWord(text, part) : text.includes(part);
  };
  return any.some(has) && !none.some(has) ? 1 : 0;
}
