// The questions of learning without labels, in order.
import type { WorldQuestion } from '../types.ts';
import { INFERENCE } from './inference.ts';
import { JUDGED } from './judged.ts';
import { TRAINING } from './training.ts';

export const CAT_QUESTIONS: readonly WorldQuestion[] = [...INFERENCE, ...TRAINING, ...JUDGED].sort((a, b) =>
  a.id < b.id ? -1 : 1,
);
