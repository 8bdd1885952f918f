// The agents in the registry: tasks on a simulated phone, in several turns, judged by a verifier. Their own small model comes with them.
import type { WorldEntry } from '../definition.ts';
import { AGENTS_CARD } from './card.ts';
import { AGENTS_METRICS, AGENTS_REWARD, AGENTS_SPLITS } from './metrics.ts';
import { AGENTS_SHOWING } from './showing.ts';
import { AGENTS_TERMS } from './terms.ts';

export const AGENTS: WorldEntry = {
  ...AGENTS_TERMS,
  card: AGENTS_CARD,
  python: 'micropython',
  reward: AGENTS_REWARD,
  showing: AGENTS_SHOWING,
  metrics: AGENTS_METRICS,
  splits: AGENTS_SPLITS,
  load: async () => (await import('./agents.ts')).agentsWorld,
  pretraining: async (environment) => (await import('./pretraining.ts')).pretrainingIn(environment),
};
