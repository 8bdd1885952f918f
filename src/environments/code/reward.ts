// The reward of a code problem: its grade's, by whatever Grader is given. A group's members do not influence each other
// here; every completion of a step goes to the grader in one call.

import { BEFORE_USER } from '../../text/chatml.ts';
import { type Revised, revisionOf } from '../exit/revised.ts';
import type { Improvable } from '../exit/types.ts';
import type { Judged, Reward } from '../types.ts';
import type { CodeProblem, Grade, Grader } from './types.ts';

// A program shown again: before the task that it answers, with what its grade said of it (the mode's own grade, which can be fooled).
// What the model was taught to read stands last, as it always does.

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
    const at = root.prompt.indexOf(BEFORE_USER) + BEFORE_USER.length;
    return revisionOf(root, history, `${root.prompt.slice(0, at)}${before}${root.prompt.slice(at)}`);
  },
};

export function codeReward(grader: Grader): Reward<CodeProblem, Grade> {
  return {
    id: `code-grade/${grader.version}`,
    asksNobody: true,
    async score(groups, _models, signal) {
      const items = groups.flatMap(({ task, rollouts }) =>
        rollouts.map(({ turns }) => ({ problem: gradedAs(task), completion: turns.at(-1)?.completion ?? '' })),
      );
      const grades = await grader.grade(items, signal);
      let next = 0;
      return groups.map(({ rollouts }) =>
        rollouts.map((): Judged<Grade> => {
          const verdict = grades[next++];
          return { reward: verdict.reward, verdict };
        }),
      );
    },
  };
}

const gradedAs = (task: CodeProblem): CodeProblem => (task.isRepaired ? { ...task, mode: 'honest' } : task);
