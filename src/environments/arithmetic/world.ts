// Word problems as a world: drawn by seed, judged by exact value, or by agreement with a reference.

import type { EstimatorId } from '../agreement/types.ts';
import type { DrawnEnvironment } from '../drawn.ts';
import type { Gain } from '../exit/gain.ts';
import { payingGains } from '../exit/revised.ts';
import type { Start } from '../exit/types.ts';
import { type ArithmeticEpisode, arithmeticEnvironment } from './environment.ts';
import { arithmeticFigures } from './figures.ts';
import { arithmeticImprovable, arithmeticQuality } from './improvable.ts';
import { referenceDocument } from './reference-document.ts';
import { referenceReward } from './reference-reward.ts';
import { arithmeticReward } from './reward.ts';
import { problemsOf } from './split.ts';
import type { ArithmeticProblem, ArithmeticVerdict } from './types.ts';

interface Run {
  reference: 'truth' | EstimatorId;
  starts: Start;
  gain: Gain;
}

export const arithmeticDrawn: DrawnEnvironment<ArithmeticProblem, ArithmeticEpisode, ArithmeticVerdict, Run> = {
  environment: arithmeticEnvironment,
  reward({ reference, starts, gain }) {
    if (reference !== 'truth') return referenceReward(reference);
    return starts === 'tasks' ? arithmeticReward : payingGains(arithmeticReward, arithmeticQuality, gain);
  },
  rewardPart: ({ reference, starts, gain }) => (reference !== 'truth' ? [reference] : starts === 'tasks' ? [] : [gain]),
  figures: arithmeticFigures,
  documentOf: ({ reference }) => (reference === 'truth' ? undefined : referenceDocument),
  draw: problemsOf,
  improvable: arithmeticImprovable,
};
