// A word problem's answer shown again: behind its story, in the form in which this environment's model was taught to read attempts, with what
// its check said, which is never the right number. (As a turn of a conversation, which it never saw, the base revises nothing: docs/exit.md has the figures.)
import { type Revised, revisionOf } from '../exit/revised.ts';
import type { Improvable } from '../exit/types.ts';
import { gradeArithmetic } from './grader.ts';
import { attemptLine, synthesisPrompt, workingOfSynthesis } from './synthesis-prompt.ts';
import type { ArithmeticProblem, ArithmeticVerdict } from './types.ts';

export const arithmeticQuality = ({ correct }: ArithmeticVerdict): number => (correct ? 1 : 0);

export const arithmeticImprovable: Improvable<ArithmeticProblem, ArithmeticVerdict> = {
  id: ({ id }) => id,
  answerOf: ({ verdict }, completion) =>
    completion === '' ? null : { text: completion, quality: arithmeticQuality(verdict) },
  revise(root, history, how): ArithmeticProblem & Revised {
    const { text } = history[history.length - 1];
    const { correct, formatOk } = gradeArithmetic(root, text);
    // A revision is written as a synthesis is: one line, steps under letters.
    const line = attemptLine(history.length > 1 || /^A/.test(text) ? workingOfSynthesis(text) : text);
    const said = correct ? 'right' : formatOk ? 'wrong' : 'no number';
    const lines = [`${line} ${said}`, ...(how === 'diverge' ? ['another way'] : [])];
    return revisionOf(root, history, synthesisPrompt(lines, root.prompt));
  },
};
