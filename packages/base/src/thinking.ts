// The answer in a text of a model that thinks first. The text between <think> and </think> is trained like the rest, but is not part of the
// answer: graders, checks, judges and verifiers read the text after it, as Qwen3's template shows earlier turns.

/** The part of a text that is judged. `strip`: the text after the last thought. `keep`: all of it. */
export const THINKING = ['strip', 'keep'] as const;
export type Thinking = (typeof THINKING)[number];

export const THOUGHT = { begin: '<think>', end: '</think>' } as const;

/** Number of characters up to the end of the last thought: 0 without a thought, null if a thought is not closed. */
export function thoughtEnd(text: string, isOpened: boolean): number | null {
  const end = text.lastIndexOf(THOUGHT.end);
  const isOpen = end < 0 ? isOpened || text.includes(THOUGHT.begin) : text.includes(THOUGHT.begin, end);
  return isOpen ? null : end < 0 ? 0 : end + THOUGHT.end.length;
}

/** Whether a thought in the text is not closed. `isOpened`: the prompt opened one. */
export const isUnclosed = (text: string, isOpened = false): boolean => thoughtEnd(text, isOpened) === null;

/**
 * The text after the last thought, without leading newlines. Empty if a thought is not closed; the whole text if it has neither tag.
 * `isOpened`: the prompt opened a thought.
 */
export function answerIn(text: string, isOpened = false): string {
  const end = thoughtEnd(text, isOpened);
  if (end === null) return '';
  return end === 0 ? text : text.slice(end).replace(/^\n+/, '');
}

/** The judged part of a text. `isOpened`: the prompt opened a thought. */
export const judgedText = (text: string, thinking: Thinking, isOpened = false): string =>
  thinking === 'strip' ? answerIn(text, isOpened) : text;
