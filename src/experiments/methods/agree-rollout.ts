// The trusted gradient plus the gradients of the rollouts that agree with it: a rollout of the mixture counts where its gradient has a
// positive inner product with the trusted one, over all parameters (agree-rollout-step.ts).

import type { AgreeRolloutRun } from './agree-rollout-step.ts';
import { OURS } from './arms.ts';
import type { Method } from './method.ts';
import { trustedArm, trustedPlacebo, withTrustedPrompts } from './two-gradients.ts';

const FACTS = { cost: 2.5, besides: 'no prompt’s forward is shared' } as const;

export const AGREE_ROLLOUT = {
  family: 'two gradients',
  rule: 'agree_rollout',
  arms: {
    agree_rollout: trustedArm(
      'agree_rollout',
      'agreement, rollout',
      'The trusted gradient, and those of rollouts that agree with it.',
      'route',
      OURS,
      FACTS,
    ),
    agree_rollout_random: trustedPlacebo(
      'agree_rollout',
      'agreement, rollout, random',
      'Control: as many rollouts of equal reward, by chance.',
      'control',
      OURS,
      'agree_rollout',
      { ...FACTS, cost: 3.5 },
    ),
  },
  refuses: ({ lossType, innerEpochs, mix }) =>
    lossType === 'dr_grpo' && innerEpochs === 1 && mix === 0
      ? null
      : {
          what: `trusted = agree_rollout with lossType = ${lossType}, innerEpochs = ${innerEpochs}, mix = ${mix}: each rollout has a gradient of its own, on policy`,
          remedy: 'Set lossType to dr_grpo, innerEpochs to 1 and mix to 0.',
        },
  // A forward and a backward per rollout besides the step's own; the placebo takes two. Measured with the preset capability.
  times: (run) => {
    const { sampling, scoring } = withTrustedPrompts(run);
    return { sampling, scoring: scoring + (run.trustedGate === 'random' ? 4.8 : 2.4) };
  },
  prepare: async ({ run }) => (await import('./agree-rollout-step.ts')).prepareAgreement(run),
} as const satisfies Method<AgreeRolloutRun>;
