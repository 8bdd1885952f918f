// Explanations as a world: functions drawn by seed, texts judged by the program or by a model.

import type { DrawnEnvironment } from '../drawn.ts';
import { type ExplainEpisode, explainEnvironment } from './environment.ts';
import { explainFigures } from './figures.ts';
import { judgedReward } from './judged-reward.ts';
import { explainReward } from './reward.ts';
import { problemsOf } from './split.ts';
import type { ExplainTask, ExplainVerdict, Grading } from './types.ts';

interface Run {
  grading: Grading;
  answerBudget: number;
}

export const explainDrawn: DrawnEnvironment<ExplainTask, ExplainEpisode, ExplainVerdict, Run> = {
  environment: explainEnvironment,
  reward: ({ grading, answerBudget }) => (grading === 'program' ? explainReward : judgedReward(grading, answerBudget)),
  rewardPart: ({ grading, answerBudget }) => (grading === 'program' ? [] : [grading, answerBudget]),
  figures: explainFigures,
  draw: problemsOf,
};
