// The question of the chain puzzles.
import type { WorldCard } from '../card.ts';

export const CHAIN_CARD: WorldCard = {
  question: 'Does training single steps of improvement carry over many?',
  about: 'Puzzles whose hidden rules a failed answer reveals.',
  look: ['q', 'quality'],
};
