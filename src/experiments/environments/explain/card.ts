// The question of the explanations.
import type { WorldCard } from '../card.ts';

export const EXPLAIN_CARD: WorldCard = {
  question: 'Can a rubric stand in for a right answer?',
  about: 'Texts about code, paid by a model that judges them.',
  look: ['score'],
};
