// Questions with tools in the registry: facts that only a tool knows, sums that another one does, up to five turns. Their own small
// model comes with them.

import type { WorldEntry } from '../definition.ts';
import { LOOKUP_CARD } from './card.ts';
import { LOOKUP_METRICS, LOOKUP_REWARD, LOOKUP_SPLITS } from './metrics.ts';
import { LOOKUP_SHOWING } from './showing.ts';
import { LOOKUP_TERMS } from './terms.ts';

export const LOOKUP: WorldEntry = {
  ...LOOKUP_TERMS,
  card: LOOKUP_CARD,
  python: 'micropython',
  kinds: 'Solve by kind of question',
  reward: LOOKUP_REWARD,
  showing: LOOKUP_SHOWING,
  metrics: LOOKUP_METRICS,
  splits: LOOKUP_SPLITS,
  load: async () => (await import('./lookup.ts')).lookupWorld,
  pretraining: async () => (await import('./pretraining.ts')).lookupPretraining,
};
