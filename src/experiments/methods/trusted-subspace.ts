// The trusted subspace: of each step what lies in the span of the trusted problems' gradients is deployed. It rides on route (update), by a basis
// of another source (bases/trusted-span.ts), so it has no hook of its own.
import { OURS, spanArm } from './arms.ts';
import type { Method } from './method.ts';

export const TRUSTED_SUBSPACE = {
  family: 'subspace',
  arms: {
    trusted_subspace: spanArm(
      'trusted subspace',
      'Of each step, what lies in the span of trusted problems’ gradients is deployed.',
      'route',
      'trusted',
      { labels: 'trusted', cost: 1, besides: 'gradients of the solutions', source: OURS },
    ),
    trusted_subspace_random: spanArm(
      'trusted subspace, random',
      'Control: as many random directions in their place.',
      'control',
      'trusted_random',
      { labels: 'trusted', cost: 1, source: OURS, controls: 'trusted_subspace' },
    ),
  },
} as const satisfies Method;
