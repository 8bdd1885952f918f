// A thought within a model's tokens and its chat template: where it begins, how many tokens it takes, and what ends it. What a text's
// answer is, without its tokens, is in base/thinking.ts.
import { THOUGHT, type Thinking, thoughtEnd } from '@projected-grpo-lab/base/thinking.ts';
import type { TextCodec } from './codec.ts';

export { answerIn, isUnclosed, judgedText, THINKING, type Thinking } from '@projected-grpo-lab/base/thinking.ts';

/** Default: by whether the model's chat template knows thoughts. */
export const thinkingFor = (knowsThinking: boolean): Thinking => (knowsThinking ? 'strip' : 'keep');

/** Text by which an environment ends a thought that has spent its budget. */
export const FORCED_END = `\n${THOUGHT.end}\n\n`;

/** Whether a chat template knows thoughts: it names the tag that ends one, or the variable that turns them off. */
export const knowsThinking = (template: string | null): boolean =>
  template !== null && (template.includes(THOUGHT.end) || /\benable_thinking\b/.test(template));

/** Whether a prompt ends within a thought, as some templates have it: the completion then holds the end tag alone. */
export const opensThought = (prompt: string): boolean => prompt.trimEnd().endsWith(THOUGHT.begin);

/** Tokens of a prompt's end, among which the tag is. */
const PROMPT_END = 16;

/** The same of a prompt's ids: what an environment calls its prompt need not be what the model's template makes of it. */
export const opensThoughtIn = (codec: Pick<TextCodec, 'decode'>, prompt: readonly number[]): boolean =>
  opensThought(codec.decode(prompt.slice(-PROMPT_END)));

/** Tokens up to the end of the last thought; all where one never ends. `text`: what `ids` decode to. */
export function thoughtTokens(
  codec: Pick<TextCodec, 'decode'>,
  ids: readonly number[],
  text: string,
  isOpened = false,
): number {
  const end = thoughtEnd(text, isOpened);
  if (end === null) return ids.length;
  if (end === 0) return 0;
  // Decoded texts grow with their ids: the fewest ids whose text holds the whole thought.
  let [from, to] = [1, ids.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (codec.decode(ids.slice(0, middle)).length >= end) to = middle;
    else from = middle + 1;
  }
  return from;
}
