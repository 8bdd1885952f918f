// Explanations in the registry: short texts about a function, judged by criteria. Their own small model comes with them.
import type { WorldEntry } from '../definition.ts';
import { EXPLAIN_CARD } from './card.ts';
import { EXPLAIN_METRICS, EXPLAIN_REWARD, EXPLAIN_SPLITS } from './metrics.ts';
import { EXPLAIN_SHOWING } from './showing.ts';
import { EXPLAIN_TERMS } from './terms.ts';

export const EXPLAIN: WorldEntry = {
  ...EXPLAIN_TERMS,
  card: EXPLAIN_CARD,
  python: 'micropython',
  reward: EXPLAIN_REWARD,
  showing: EXPLAIN_SHOWING,
  metrics: EXPLAIN_METRICS,
  splits: EXPLAIN_SPLITS,
  load: async () => (await import('./explain.ts')).explainWorld,
  pretraining: async () => (await import('./pretraining.ts')).explainPretraining,
};
