// 1 for the right value, and 0.1 for a box with a number in it, right or not: enough to keep the form, too little to be sought.
import type { Judged, Reward } from '../types.ts';
import { gradeArithmetic } from './grader.ts';
import type { ArithmeticProblem, ArithmeticVerdict } from './types.ts';

export const REWARD = { correct: 1, format: 0.1 } as const;

export const arithmeticReward: Reward<ArithmeticProblem, ArithmeticVerdict> = {
  id: 'arithmetic/1',
  asksNobody: true,
  score: async (groups) =>
    groups.map(({ task, rollouts }) =>
      rollouts.map(({ turns }): Judged<ArithmeticVerdict> => {
        const verdict = gradeArithmetic(task, turns.at(-1)?.completion ?? '');
        const reward = (verdict.correct ? REWARD.correct : 0) + (verdict.formatOk ? REWARD.format : 0);
        return { reward, verdict };
      }),
    ),
};
