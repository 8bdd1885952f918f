// A-GEM: removes the part of the mixture's gradient that opposes the trusted one; the trusted one itself is not stepped along.
import { agem } from '../../algorithms/trusted/rules.ts';
import type { Method } from './method.ts';
import { joined, type TwoGradientsRun, trustedArm, trustedPlacebo } from './two-gradients.ts';

const SOURCE = 'Chaudhry et al. 2019';

export const AGEM = {
  ...joined('agem', agem),
  arms: {
    agem: trustedArm(
      'agem',
      'A-GEM',
      'The mixture’s gradient without what conflicts with the trusted one.',
      'erase',
      SOURCE,
    ),
    agem_random: trustedPlacebo(
      'agem',
      'A-GEM, random',
      'Control: a random direction of equal norm.',
      'control',
      SOURCE,
      'agem',
    ),
  },
} as const satisfies Method<TwoGradientsRun>;
