// Chain puzzles in the registry: digits by relations, some hidden until an answer breaks them. Their own small model comes with them.
import type { WorldEntry } from '../definition.ts';
import { CHAIN_CARD } from './card.ts';
import { CHAIN_METRICS, CHAIN_PROFILES, CHAIN_REWARD, CHAIN_SPLITS } from './metrics.ts';
import { CHAIN_SHOWING } from './showing.ts';
import { CHAIN_TERMS } from './terms.ts';

export const CHAIN: WorldEntry = {
  ...CHAIN_TERMS,
  card: CHAIN_CARD,
  python: 'micropython',
  reward: CHAIN_REWARD,
  showing: CHAIN_SHOWING,
  metrics: CHAIN_METRICS,
  profiles: CHAIN_PROFILES,
  splits: CHAIN_SPLITS,
  load: async () => (await import('./chain.ts')).chainWorld,
  pretraining: async () => (await import('./pretraining.ts')).chainPretraining,
};
