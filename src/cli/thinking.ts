// The flag that says what of a model's text is judged, and what is said of it.
import type { ModelText } from '../storage/model-text.ts';
import { THINKING, type Thinking, thinkingFor } from '../text/thinking.ts';
import { oneOf } from './args.ts';

export const THINKING_FLAG = oneOf(
  THINKING,
  'Whether what stands in <think>…</think> is judged: strip (the answer alone) or keep (all). strip where absent and the model’s chat template knows thoughts, else keep.',
  null,
);

/** What the flag comes to with this model. */
export const thinkingWith = (flag: Thinking | null, { knowsThinking }: Pick<ModelText, 'knowsThinking'>): Thinking =>
  flag ?? thinkingFor(knowsThinking);

/** What was used, for stderr. */
export const JUDGED_WORDS: Readonly<Record<Thinking, string>> = {
  strip: 'Judged: what stands after the last </think> of each text (--thinking strip).',
  keep: 'Judged: each text as a whole, thoughts included (--thinking keep).',
};
