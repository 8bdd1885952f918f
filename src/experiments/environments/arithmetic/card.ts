// The question of the word problems.
import type { WorldCard } from '../card.ts';

export const ARITHMETIC_CARD: WorldCard = {
  question: 'Can a model teach itself without labels?',
  about:
    'Word problems with mistakes that pretraining taught. CaT and TTRL are paid for agreement alone; vanilla, beside them, for right answers.',
  look: ['solve', 'misconception'],
};
