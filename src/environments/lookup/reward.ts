// 1 for the right value, and 0.1 for a box with a number in it, right or not, as in the word problems. Calls earn nothing by
// themselves: they pay because the value is not to be had without them.
import { gradeArithmetic } from '../arithmetic/grader.ts';
import type { Judged, Reward, Turn } from '../types.ts';
import { replyTo } from './tools.ts';
import type { LookupProblem, LookupVerdict } from './types.ts';

export const REWARD = { correct: 1, format: 0.1 } as const;

/** The answer is the last turn's: one that only ran out of turns has no box in it. */
export function gradeLookup(
  problem: Pick<LookupProblem, 'facts' | 'expected'>,
  turns: readonly Pick<Turn, 'completion'>[],
): LookupVerdict {
  const { answer, value, expected, correct, formatOk } = gradeArithmetic(
    { expected: problem.expected, misconception: null },
    turns.at(-1)?.completion ?? '',
  );
  const replies = turns.map(({ completion }) => replyTo(problem, completion).kind);
  const count = (kind: string) => replies.filter((reply) => reply === kind).length;
  return {
    ...{ answer, value, expected, correct, formatOk },
    ...{ turns: turns.length, answered: count('answered'), refused: count('refused') },
  };
}

export const lookupReward: Reward<LookupProblem, LookupVerdict> = {
  id: 'lookup/1',
  asksNobody: true,
  score: async (groups) =>
    groups.map(({ task, rollouts }) =>
      rollouts.map(({ turns }): Judged<LookupVerdict> => {
        const verdict = gradeLookup(task, turns);
        const reward = (verdict.correct ? REWARD.correct : 0) + (verdict.formatOk ? REWARD.format : 0);
        return { reward, verdict };
      }),
    ),
};
