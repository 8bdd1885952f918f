// The question of the characters.
import type { WorldCard } from '../card.ts';

export const CHARACTERS_CARD: WorldCard = {
  question: 'Does what one character learns spread to the others?',
  about: 'One model, many characters: one is taught by documents or by RL.',
  look: ['target:a', 'target:near'],
};
