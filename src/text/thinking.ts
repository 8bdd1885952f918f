// A thought (the text between <think> and </think>) in a model's tokens and chat template: whether a prompt begins one, how many tokens it
// takes, and the text that ends it. Finding the answer in a text, without tokens, is in base/thinking.ts.
import { THOUGHT, type Thinking, thoughtEnd } from '@projected-grpo-lab/base/thinking.ts';
import type { TextCodec } from './codec.ts';

export { answerIn, isUnclosed, judgedText, THINKING, type Thinking } from '@projected-grpo-lab/base/thinking.ts';

/** The default setting: thoughts are stripped before judging if the model's chat template knows thoughts. */
export const thinkingFor = (knowsThinking: boolean): Thinking => (knowsThinking ? 'strip' : 'keep');

/** The text with which an environment ends a thought that has used up its token budget. */
export const FORCED_END = `\n${THOUGHT.end}\n\n`;

/** Whether a chat template knows thoughts: it contains the closing tag, or the variable that turns thoughts off. */
export const knowsThinking = (template: string | null): boolean =>
  template !== null && (template.includes(THOUGHT.end) || /\benable_thinking\b/.test(template));

/** Whether a prompt ends with the opening tag, as some templates write it: the completion then has only the closing tag. */
export const opensThought = (prompt: string): boolean => prompt.trimEnd().endsWith(THOUGHT.begin);

/** Number of tokens at a prompt's end that are searched for the opening tag. */
const PROMPT_END = 16;

/** As `opensThought`, for a prompt's ids: the text that the model's template makes can differ from the environment's prompt. */
export const opensThoughtIn = (codec: Pick<TextCodec, 'decode'>, prompt: readonly number[]): boolean =>
  opensThought(codec.decode(prompt.slice(-PROMPT_END)));

/** Number of tokens up to the end of the last thought; all of them if a thought is not closed. `text` is the decoding of `ids`;
 *  `isOpened` says whether the prompt began the thought. */
export function thoughtTokens(
  codec: Pick<TextCodec, 'decode'>,
  ids: readonly number[],
  text: string,
  isOpened = false,
): number {
  const end = thoughtEnd(text, isOpened);
  if (end === null) return ids.length;
  if (end === 0) return 0;
  // A bisection for the fewest ids whose text contains the whole thought: decoded texts grow with the number of ids.
  let [from, to] = [1, ids.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (codec.decode(ids.slice(0, middle)).length >= end) to = middle;
    else from = middle + 1;
  }
  return from;
}
