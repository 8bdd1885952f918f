// The answer in a text of a model that thinks first. What stands between <think> and </think> is trained as all else is, and is no
// part of the answer: graders, checks, judges and verifiers read what follows it, as Qwen3's template shows an earlier turn. A leaf.

/** What is judged of a text. `strip`: what stands after the last thought. `keep`: all of it. */
export const THINKING = ['strip', 'keep'] as const;
export type Thinking = (typeof THINKING)[number];

export const THOUGHT = { begin: '<think>', end: '</think>' } as const;

/** Characters of a text up to the end of its last thought: 0 where it has none, null where a thought never ends. */
export function thoughtEnd(text: string, isOpened: boolean): number | null {
  const end = text.lastIndexOf(THOUGHT.end);
  const isOpen = end < 0 ? isOpened || text.includes(THOUGHT.begin) : text.includes(THOUGHT.begin, end);
  return isOpen ? null : end < 0 ? 0 : end + THOUGHT.end.length;
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
