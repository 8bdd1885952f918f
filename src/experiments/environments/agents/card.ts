// The question of the agents.
import type { WorldCard } from '../card.ts';

export const AGENTS_CARD: WorldCard = {
  question: 'Can a very small agent learn its apps from a verifier alone?',
  about: 'Tasks on a simulated phone in several turns: look up, act, tell the user.',
  look: ['solve', 'ended'],
};
