// PCGrad: the sum of both gradients, each without its part that opposes the other.
import { pcgrad } from '../../algorithms/trusted/rules.ts';
import type { Method } from './method.ts';
import { joined, type TwoGradientsRun, trustedArm, trustedPlacebo } from './two-gradients.ts';

const SOURCE = 'Yu et al. 2020';

export const PCGRAD = {
  ...joined('pcgrad', pcgrad),
  arms: {
    pcgrad: trustedArm(
      'pcgrad',
      'PCGrad',
      'Both gradients, each without its conflict with the other.',
      'erase',
      SOURCE,
    ),
    pcgrad_random: trustedPlacebo(
      'pcgrad',
      'PCGrad, random',
      'Control: a random direction of equal norm.',
      'control',
      SOURCE,
      'pcgrad',
    ),
  },
} as const satisfies Method<TwoGradientsRun>;
