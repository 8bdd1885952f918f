// The question of the word problems.
import type { WorldCard } from '../card.ts';

export const ARITHMETIC_CARD: WorldCard = {
  question: 'What does reward alone teach a small model of arithmetic?',
  about: 'Word problems of one to three steps, a number in a box; some have a mistake that pretraining taught.',
  look: ['solve', 'misconception'],
};
