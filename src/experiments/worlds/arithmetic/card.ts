// The question of the word problems.
import type { WorldCard } from '../card.ts';

export const ARITHMETIC_CARD: WorldCard = {
  question: 'What does reward alone teach a small model of arithmetic?',
  about:
    'Word problems with mistakes that pretraining taught. Vanilla is paid for right answers; CaT and TTRL for agreement alone, without labels.',
  look: ['solve', 'misconception'],
};
