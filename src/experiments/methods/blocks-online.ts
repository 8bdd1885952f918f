// Two blocks of which only the deployed one samples the rollouts, so that the quarantine, which is not deployed, cannot explore the hack
// further. The gates are those of blocks.ts.
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

/** The placebo, added after the router; it keeps that place in every list. */
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
