// Chain puzzles as a world: drawn by seed, judged by their relations, revised step by step.
import { chainEnvironment } from '../../../environments/chain/environment.ts';
import { chainImprovable } from '../../../environments/chain/improvable.ts';
import { CHAIN_SPLITS } from '../../../environments/chain/presentation.ts';
import { chainReward } from '../../../environments/chain/reward.ts';
import { problemsOf } from '../../../environments/chain/split.ts';
import { drawnWorld } from '../drawn.ts';
import { chainFigures } from './figures.ts';

export const chainWorld = drawnWorld({
  environment: chainEnvironment,
  reward: ({ gain }) => chainReward(gain),
  rewardPart: ({ gain }) => [gain],
  figures: chainFigures,
  splits: CHAIN_SPLITS,
  draw: problemsOf,
  improvable: chainImprovable,
  isChained: true,
});
