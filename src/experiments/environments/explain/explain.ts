// Explanations as a world: functions drawn by seed, texts judged by the program or by a model.
import { explainEnvironment } from '../../../environments/explain/environment.ts';
import { judgedReward } from '../../../environments/explain/judged-reward.ts';
import { explainReward } from '../../../environments/explain/reward.ts';
import { problemsOf } from '../../../environments/explain/split.ts';
import { drawnWorld } from '../drawn.ts';
import { explainFigures } from './figures.ts';
import { EXPLAIN_SPLITS } from './metrics.ts';

export const explainWorld = drawnWorld({
  environment: explainEnvironment,
  reward: ({ grading, answerBudget }) => (grading === 'program' ? explainReward : judgedReward(grading, answerBudget)),
  rewardPart: ({ grading, answerBudget }) => (grading === 'program' ? [] : [grading, answerBudget]),
  figures: explainFigures,
  splits: EXPLAIN_SPLITS,
  draw: problemsOf,
});
