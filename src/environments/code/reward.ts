// The reward of a code problem: its grade's, by whatever Grader is given. A group's members do not influence each other
// here; every completion of a step goes to the grader in one call.
import type { Judged, Reward } from '../types.ts';
import type { CodeProblem, Grade, Grader } from './types.ts';

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
