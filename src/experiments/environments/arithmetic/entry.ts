// Word problems in the registry: one to three steps, a number in a box. Their own small model comes with them.

import type { WorldEntry } from '../definition.ts';
import { ARITHMETIC_CARD } from './card.ts';
import { ARITHMETIC_METRICS, ARITHMETIC_REWARD, ARITHMETIC_SPLITS } from './metrics.ts';
import { ARITHMETIC_SHOWING } from './showing.ts';
import { ARITHMETIC_TERMS } from './terms.ts';

export const ARITHMETIC: WorldEntry = {
  ...ARITHMETIC_TERMS,
  card: ARITHMETIC_CARD,
  python: 'micropython',
  kinds: 'Solve by kind of template',
  reward: ARITHMETIC_REWARD,
  showing: ARITHMETIC_SHOWING,
  metrics: ARITHMETIC_METRICS,
  splits: ARITHMETIC_SPLITS,
  load: async () => (await import('./arithmetic.ts')).arithmeticWorld,
  pretraining: async () => (await import('./pretraining.ts')).arithmeticPretraining,
};
