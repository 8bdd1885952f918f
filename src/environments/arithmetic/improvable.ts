// A word problem's answer shown again: as the turn that it was, with what its check said, which is never the right number.
import { revisedTask } from '../exit/revised.ts';
import type { Improvable } from '../exit/types.ts';
import { gradeArithmetic } from './grader.ts';
import type { ArithmeticProblem, ArithmeticVerdict } from './types.ts';

export const arithmeticQuality = ({ correct }: ArithmeticVerdict): number => (correct ? 1 : 0);

export const arithmeticImprovable: Improvable<ArithmeticProblem, ArithmeticVerdict> = {
  id: ({ id }) => id,
  answerOf: ({ verdict }, completion) =>
    completion === '' ? null : { text: completion, quality: arithmeticQuality(verdict) },
  revise(root, history, how) {
    const { correct, value } = gradeArithmetic(root, history[history.length - 1].text);
    return revisedTask(
      root,
      history,
      how,
      correct ? `${value} is right.` : value ? `${value} is wrong.` : 'No number.',
    );
  },
};
