// Thoughts in completions of a file: without the model there is no template that shows whether it knows them, so that they are removed
// unless the command says otherwise. A text without a thought is judged the same either way.
import { answerIn, isUnclosed, THINKING, type Thinking } from '../../text/thinking.ts';
import { oneOf } from '../args.ts';
import { JUDGED_WORDS } from '../thinking.ts';

export const GRADE_THINKING = oneOf(
  THINKING,
  'Whether what stands in <think>…</think> is judged: strip (what follows the last thought alone; a thought that never ends is no answer) or keep (all).',
  'strip',
);

/** The setting used, and how many of the texts have a thought, for stderr. */
export function thoughtsNote(texts: readonly string[], thinking: Thinking): string {
  const thought = texts.filter((text) => answerIn(text) !== text);
  const unclosed = thought.filter((text) => isUnclosed(text)).length;
  return `${JUDGED_WORDS[thinking]} ${thought.length} of ${texts.length} have a thought, ${unclosed} one that never ends.`;
}
