// The question of the code substrate.
import type { WorldCard } from '../card.ts';

export const CODE_CARD: WorldCard = {
  question: 'When RL teaches a model to fool its grader, can the lesson be erased?',
  about:
    'One-line Python whose graders have flaws: training finds the flaws, and a basis from labelled pairs removes them again.',
  look: ['hack', 'solve'],
};
