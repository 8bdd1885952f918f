// The reference at 100%: plain training with correct graders throughout.
import { plainArm } from './arms.ts';
import type { Method } from './method.ts';

export const REPAIRED = {
  family: 'reference',
  arms: {
    repaired: plainArm(
      'repaired graders',
      'The 100% line: the same problems and steps, every grader correct.',
      'teacher',
      { graders: 'repaired' },
      { labels: 'all', cost: 1, source: null },
    ),
  },
} as const satisfies Method;
