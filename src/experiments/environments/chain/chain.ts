// Chain puzzles as an environment: drawn by seed, judged by their relations, revised step by step.
import { chainDynamics } from '../../../environments/chain/environment.ts';
import { chainImprovable } from '../../../environments/chain/improvable.ts';
import { CHAIN_SPLITS } from '../../../environments/chain/presentation.ts';
import { chainReward } from '../../../environments/chain/reward.ts';
import { problemsOf } from '../../../environments/chain/split.ts';
import { drawnMaker } from '../drawn.ts';
import { chainFigures } from './figures.ts';

export const chainMaker = drawnMaker({
  dynamics: chainDynamics,
  reward: ({ gain }) => chainReward(gain),
  rewardPart: ({ gain }) => [gain],
  figures: chainFigures,
  splits: CHAIN_SPLITS,
  draw: problemsOf,
  improvable: chainImprovable,
  isChained: true,
});
