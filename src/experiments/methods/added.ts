// Adds the trusted gradient to the mixture's unchanged: what a verifier (verifier.ts) that accepts every answer would do.
import { plus } from '../../algorithms/vectors.ts';
import { OURS } from './arms.ts';
import type { Method } from './method.ts';
import { joined, type TwoGradientsRun, trustedArm } from './two-gradients.ts';

export const ADDED = {
  ...joined('added', ({ untrusted, trusted }) => plus(untrusted, trusted)),
  arms: {
    added: trustedArm(
      'added',
      'trusted added',
      'Control: the trusted gradient is added, and no reward is weighted.',
      'control2',
      OURS,
      { controls: 'verifier' },
    ),
  },
} as const satisfies Method<TwoGradientsRun>;
