// The question of the questions with tools.
import type { WorldCard } from '../card.ts';

export const LOOKUP_CARD: WorldCard = {
  question: 'Does a model that is paid for right answers learn to ask its tools first?',
  about: 'Questions in several turns: facts that only a tool knows, and sums that another one does.',
  look: ['solve', 'asked'],
};
