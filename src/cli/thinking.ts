// The flag that says what of a model's text is judged, and what is said of it.
import { THINKING_FLAG } from '@projected-grpo-lab/base/commands/thinking-flag.ts';
import type { ModelText } from '../storage/model-text.ts';
import { type Thinking, thinkingFor } from '../text/thinking.ts';

export { THINKING_FLAG };

/** What the flag comes to with this model. */
export const thinkingWith = (flag: Thinking | null, { knowsThinking }: Pick<ModelText, 'knowsThinking'>): Thinking =>
  flag ?? thinkingFor(knowsThinking);

/** What was used, for stderr. */
export const JUDGED_WORDS: Readonly<Record<Thinking, string>> = {
  strip: 'Judged: what stands after the last </think> of each text (--thinking strip).',
  keep: 'Judged: each text as a whole, thoughts included (--thinking keep).',
};
