// Word problems as a world: drawn by seed, judged by exact value, or by agreement with a reference.
import { arithmeticEnvironment } from '../../../environments/arithmetic/environment.ts';
import { referenceReward } from '../../../environments/arithmetic/reference-reward.ts';
import { arithmeticReward } from '../../../environments/arithmetic/reward.ts';
import { problemsOf } from '../../../environments/arithmetic/split.ts';
import { drawnWorld } from '../drawn.ts';
import { arithmeticFigures } from './figures.ts';
import { ARITHMETIC_SPLITS } from './metrics.ts';
import { referenceDocument } from './reference-document.ts';

export const arithmeticWorld = drawnWorld({
  environment: arithmeticEnvironment,
  reward: ({ reference }) => (reference === 'truth' ? arithmeticReward : referenceReward(reference)),
  rewardPart: ({ reference }) => (reference === 'truth' ? [] : [reference]),
  figures: arithmeticFigures,
  documentOf: ({ reference }) => (reference === 'truth' ? undefined : referenceDocument),
  splits: ARITHMETIC_SPLITS,
  draw: problemsOf,
});
