// A program shown again: before the task that it answers, with what its grade said of it (the mode's own grade, which can be fooled).
// What the model was taught to read stands last, as it always does.
import { type Revised, revisionOf } from '../exit/revised.ts';
import type { Improvable } from '../exit/types.ts';
import type { CodeProblem, Grade } from './types.ts';

const BEGIN = '<|im_start|>user\n';

export const codeQuality = ({ passed }: Grade): number => (passed ? 1 : 0);

export const codeImprovable: Improvable<CodeProblem, Grade> = {
  id: ({ id }) => id,
  answerOf({ verdict }, completion) {
    if (completion === '') return null;
    const said = verdict.passed ? 'passes' : verdict.formatOk ? `fails: ${verdict.note}` : 'no code';
    return { text: completion, quality: codeQuality(verdict), said };
  },
  revise(root, history, how): CodeProblem & Revised {
    const { text, said } = history[history.length - 1];
    const asked = how === 'diverge' ? 'Do it another way.' : 'Improve it.';
    const before = `${text}\nThis ${said}. ${asked}\n`;
    const at = root.prompt.indexOf(BEGIN) + BEGIN.length;
    return revisionOf(root, history, `${root.prompt.slice(0, at)}${before}${root.prompt.slice(at)}`);
  },
};
