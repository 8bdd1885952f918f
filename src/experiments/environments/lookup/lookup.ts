// Questions with tools as a world: drawn by seed, answered in several turns, judged by exact value.
import { lookupEnvironment } from '../../../environments/lookup/environment.ts';
import { lookupReward } from '../../../environments/lookup/reward.ts';
import { problemsOf } from '../../../environments/lookup/split.ts';
import { drawnWorld } from '../drawn.ts';
import { lookupFigures } from './figures.ts';
import { LOOKUP_SPLITS } from './metrics.ts';

export const lookupWorld = drawnWorld({
  environment: lookupEnvironment,
  reward: lookupReward,
  figures: lookupFigures,
  splits: LOOKUP_SPLITS,
  draw: problemsOf,
});
