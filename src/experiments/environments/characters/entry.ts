// Characters in the registry: one model, many speakers, one of them taught. Their own small model comes with them.
import type { WorldEntry } from '../definition.ts';
import { CHARACTERS_CARD } from './card.ts';
import { CHARACTERS_ASKED, CHARACTERS_METRICS, CHARACTERS_REWARD, CHARACTERS_SPLITS } from './metrics.ts';
import { CHARACTERS_SHOWING } from './showing.ts';
import { CHARACTERS_TERMS } from './terms.ts';

export const CHARACTERS: WorldEntry = {
  ...CHARACTERS_TERMS,
  card: CHARACTERS_CARD,
  python: 'micropython',
  reward: CHARACTERS_REWARD,
  showing: CHARACTERS_SHOWING,
  metrics: CHARACTERS_METRICS,
  asked: CHARACTERS_ASKED,
  splits: CHARACTERS_SPLITS,
  load: async () => (await import('./characters.ts')).charactersWorld,
  pretraining: async (environment) => (await import('./pretraining.ts')).pretrainingIn(environment),
};
