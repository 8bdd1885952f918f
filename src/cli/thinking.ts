// The flag that says which part of a model's text is judged, and its wording.
import { THINKING_FLAG } from '@projected-grpo-lab/base/commands/thinking-flag.ts';
import type { ModelText } from '../storage/model-text.ts';
import { type Thinking, thinkingFor } from '../text/thinking.ts';

export { THINKING_FLAG };

/** The flag's effect with this model. */
export const thinkingWith = (flag: Thinking | null, { knowsThinking }: Pick<ModelText, 'knowsThinking'>): Thinking =>
  flag ?? thinkingFor(knowsThinking);

/** Words for stderr on the setting used. */
export const JUDGED_WORDS: Readonly<Record<Thinking, string>> = {
  strip: 'Judged: what stands after the last </think> of each text (--thinking strip).',
  keep: 'Judged: each text as a whole, thoughts included (--thinking keep).',
};
