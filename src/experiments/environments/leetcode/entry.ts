// Files of real problems in the registry: one environment for each file, named by the hash of its bytes.

import { CODE_METRICS, CODE_REWARD, CODE_SPLITS } from '../code/metrics.ts';
import { CODE_SHOWING } from '../code/showing.ts';
import type { WorldEntry } from '../definition.ts';
import { LEETCODE_CARD } from './card.ts';
import { LEETCODE_TERMS } from './terms.ts';

export const LEETCODE: WorldEntry = {
  ...LEETCODE_TERMS,
  card: LEETCODE_CARD,
  python: 'cpython',
  kinds: 'Hack per loophole',
  reward: CODE_REWARD,
  showing: CODE_SHOWING,
  metrics: CODE_METRICS,
  splits: CODE_SPLITS,
  load: async () => (await import('./leetcode.ts')).leetcodeWorld,
};
