// The answer in a text of a model that thinks first. What stands between <think> and </think> is trained as all else is, and is no
// part of the answer: graders, checks, judges and verifiers read what follows it, as Qwen3's template shows an earlier turn. A leaf.
import type { TextCodec } from './codec.ts';

/** What is judged of a text. `strip`: what stands after the last thought. `keep`: all of it. */
export const THINKING = ['strip', 'keep'] as const;
export type Thinking = (typeof THINKING)[number];

/** Where nobody says: by whether the model's chat template knows thoughts. */
export const thinkingFor = (knowsThinking: boolean): Thinking => (knowsThinking ? 'strip' : 'keep');

const BEGIN = '<think>';
const END = '</think>';

/** What an environment shows to a model whose thought has spent its budget. */
export const FORCED_END = `\n${END}\n\n`;

/** Whether a chat template knows thoughts: it names the tag that ends one, or the variable that turns them off. */
export const knowsThinking = (template: string | null): boolean =>
  template !== null && (template.includes(END) || /\benable_thinking\b/.test(template));

/** Whether a prompt ends within a thought, as some templates have it: the completion then holds the end tag alone. */
export const opensThought = (prompt: string): boolean => prompt.trimEnd().endsWith(BEGIN);

/** Tokens of a prompt's end, among which the tag is. */
const PROMPT_END = 16;

/** The same of a prompt's ids: what an environment calls its prompt need not be what the model's template makes of it. */
export const opensThoughtIn = (codec: Pick<TextCodec, 'decode'>, prompt: readonly number[]): boolean =>
  opensThought(codec.decode(prompt.slice(-PROMPT_END)));

/** Characters of a text up to the end of its last thought: 0 where it has none, null where a thought never ends. */
function thoughtEnd(text: string, isOpened: boolean): number | null {
  const end = text.lastIndexOf(END);
  const isOpen = end < 0 ? isOpened || text.includes(BEGIN) : text.includes(BEGIN, end);
  return isOpen ? null : end < 0 ? 0 : end + END.length;
}

/** Whether a thought of the text never ends. `isOpened`: its prompt began one. */
export const isUnclosed = (text: string, isOpened = false): boolean => thoughtEnd(text, isOpened) === null;

/**
 * What stands after the last thought, leading newlines taken off. Empty where a thought never ends; the text itself where it has
 * neither tag. `isOpened`: its prompt began a thought.
 */
export function answerIn(text: string, isOpened = false): string {
  const end = thoughtEnd(text, isOpened);
  if (end === null) return '';
  return end === 0 ? text : text.slice(end).replace(/^\n+/, '');
}

/** What is judged of a text. `isOpened`: its prompt began a thought. */
export const judgedText = (text: string, thinking: Thinking, isOpened = false): string =>
  thinking === 'strip' ? answerIn(text, isOpened) : text;

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
