// Training on the trusted problems alone: in all of each step, or as often as the mixture contains them. The environment's sampler draws
// no others.
import { OURS, plainArm } from './arms.ts';
import type { Method } from './method.ts';

export const TRUSTED_ONLY = {
  family: 'data',
  arms: {
    'trusted-only': plainArm(
      'trusted only',
      'Trained on the trusted problems alone, whole steps.',
      'teacher',
      { trusted: 'only' },
      { labels: 'trusted', cost: 1, source: OURS },
    ),
    'trusted-paced': plainArm(
      'trusted only, paced',
      'Trained on the trusted problems alone, as often as the mixture meets them.',
      'control',
      { trusted: 'only_paced' },
      { labels: 'trusted', cost: 1, besides: 'less: only some steps are taken', source: OURS },
    ),
  },
} as const satisfies Method;
