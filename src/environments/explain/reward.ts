// By the program: the true score, the share of the five true criteria that a text meets. What a labelled problem would pay.
import type { Judged, Reward } from '../types.ts';
import { textOfRollout } from './asking.ts';
import { gradeExplanation } from './check.ts';
import type { ExplainTask, ExplainVerdict } from './types.ts';

export const explainReward: Reward<ExplainTask, ExplainVerdict> = {
  id: 'explain/program/1',
  asksNobody: true,
  score: async (groups) =>
    groups.map(({ task, rollouts }) =>
      rollouts.map((rollout): Judged<ExplainVerdict> => {
        const verdict = gradeExplanation(task.fn, textOfRollout(rollout));
        return { reward: verdict.score, verdict };
      }),
    ),
};
