// The question of real problems: the code substrate’s, asked of a model of other hands.
import type { WorldCard } from '../card.ts';

export const LEETCODE_CARD: WorldCard = {
  question: 'Does it hold on real problems, with a larger model?',
  about: 'LeetCode problems from a file of your own, graded by CPython in this tab.',
  look: ['hack', 'solve'],
};
