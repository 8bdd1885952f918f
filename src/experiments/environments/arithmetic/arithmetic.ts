// Word problems as a world: drawn by seed, judged by exact value, or by agreement with a reference.
import { arithmeticEnvironment } from '../../../environments/arithmetic/environment.ts';
import { arithmeticImprovable, arithmeticQuality } from '../../../environments/arithmetic/improvable.ts';
import { referenceReward } from '../../../environments/arithmetic/reference-reward.ts';
import { arithmeticReward } from '../../../environments/arithmetic/reward.ts';
import { problemsOf } from '../../../environments/arithmetic/split.ts';
import { payingGains } from '../../../environments/exit/revised.ts';
import { drawnWorld } from '../drawn.ts';
import { arithmeticFigures } from './figures.ts';
import { ARITHMETIC_SPLITS } from './metrics.ts';
import { referenceDocument } from './reference-document.ts';

export const arithmeticWorld = drawnWorld({
  environment: arithmeticEnvironment,
  reward({ reference, starts, gain }) {
    if (reference !== 'truth') return referenceReward(reference);
    return starts === 'tasks' ? arithmeticReward : payingGains(arithmeticReward, arithmeticQuality, gain);
  },
  rewardPart: ({ reference, starts, gain }) => (reference !== 'truth' ? [reference] : starts === 'tasks' ? [] : [gain]),
  figures: arithmeticFigures,
  documentOf: ({ reference }) => (reference === 'truth' ? undefined : referenceDocument),
  splits: ARITHMETIC_SPLITS,
  draw: problemsOf,
  improvable: arithmeticImprovable,
});
