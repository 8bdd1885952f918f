// A program shown again: as the turn that it was, with what its grade says of it (the mode's own grade, which can be fooled).
import { revisedTask } from '../exit/revised.ts';
import type { Improvable } from '../exit/types.ts';
import type { CodeProblem, Grade } from './types.ts';

export const codeQuality = ({ passed }: Grade): number => (passed ? 1 : 0);

export const codeImprovable: Improvable<CodeProblem, Grade> = {
  id: ({ id }) => id,
  answerOf({ verdict }, completion) {
    if (completion === '') return null;
    const said = verdict.passed
      ? 'It passes.'
      : verdict.formatOk
        ? `It fails: ${verdict.note ?? 'a test'}.`
        : 'No code.';
    return { text: completion, quality: codeQuality(verdict), said };
  },
  revise: (root, history, how) => revisedTask(root, history, how, history[history.length - 1].said ?? 'It fails.'),
};
