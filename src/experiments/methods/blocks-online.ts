// Two blocks of which the deployed one alone writes the rollouts: the hack is not explored further by who will not be deployed. The gates are
// those of blocks.ts.
import { blocksArm, OURS } from './arms.ts';
import { TWO_PASSES } from './blocks.ts';
import type { Method } from './method.ts';

export const BLOCKS_ONLINE = {
  family: 'two blocks',
  arms: {
    blocks_online: blocksArm(
      'two blocks, online',
      'Activation gate; the deployed block alone writes rollouts.',
      'route',
      { blockGate: 'activation', online: true },
      { labels: 'pairs', cost: TWO_PASSES, source: OURS },
    ),
  },
} as const satisfies Method;

/** Its placebo came after the router, and stands there in every list. */
export const BLOCKS_ONLINE_PLACEBO = {
  family: 'two blocks',
  arms: {
    blocks_random_online: blocksArm(
      'two blocks, online, random gate',
      'Control: online, sorted by chance.',
      'control',
      { blockGate: 'random', online: true },
      { labels: 'none', cost: TWO_PASSES, source: OURS, controls: 'blocks_online' },
    ),
  },
} as const satisfies Method;
