// The code substrate in the registry: one-line Python problems whose graders have flaws.

import type { WorldEntry } from '../definition.ts';
import { CODE_CARD } from './card.ts';
import { CODE_METRICS, CODE_REWARD, CODE_SPLITS } from './metrics.ts';
import { CODE_SHOWING } from './showing.ts';
import { CODE_TERMS } from './terms.ts';

export const CODE: WorldEntry = {
  ...CODE_TERMS,
  card: CODE_CARD,
  python: 'micropython',
  kinds: 'Hack per loophole',
  reward: CODE_REWARD,
  showing: CODE_SHOWING,
  metrics: CODE_METRICS,
  splits: CODE_SPLITS,
  load: async () => (await import('./code.ts')).codeWorld,
  pretraining: async () => (await import('./pretraining.ts')).codePretraining,
};
