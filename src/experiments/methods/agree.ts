// The trusted gradient, plus the mixture's where the two agree in sign: element by element, or module by module.
import { agreeElement, agreeModule } from '../../algorithms/trusted/rules.ts';
import { OURS } from './arms.ts';
import type { Method } from './method.ts';
import { joined, type TwoGradientsRun, trustedArm, trustedPlacebo } from './two-gradients.ts';

export const AGREE_ELEMENT = {
  ...joined('agree_element', agreeElement),
  arms: {
    agree: trustedArm(
      'agree_element',
      'agreement, element',
      'The trusted gradient, and the mixture’s where signs agree.',
      'route',
      OURS,
    ),
    agree_random: trustedPlacebo(
      'agree_element',
      'agreement, random',
      'Control: signs of a random direction.',
      'control2',
      OURS,
      'agree',
    ),
  },
} as const satisfies Method<TwoGradientsRun>;

export const AGREE_MODULE = {
  ...joined('agree_module', agreeModule),
  arms: {
    agree_module: trustedArm(
      'agree_module',
      'agreement, module',
      'The trusted gradient, and the mixture’s modules that agree.',
      'route',
      OURS,
    ),
    agree_module_random: trustedPlacebo(
      'agree_module',
      'agreement, module, random',
      'Control: modules by a random direction.',
      'control2',
      OURS,
      'agree_module',
    ),
  },
} as const satisfies Method<TwoGradientsRun>;
