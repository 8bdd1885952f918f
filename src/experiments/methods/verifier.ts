// A verifier fitted to the verdicts of trusted rollouts, whose graders are correct. It lowers the rewards of the mixture's rollouts that it finds
// unlikely to be right, whatever its reward from a flawed grader, and the trusted rollouts' own gradient is added (verifier-step.ts).
import * as z from 'zod/mini';
import { choice, type DisabledBecause, integer, type OptionGroup } from '../../lib/option.ts';
import { OURS } from './arms.ts';
import type { Method } from './method.ts';
import { trustedArm, trustedPlacebo, withTrustedPrompts } from './two-gradients.ts';
import type { VerifierRun } from './verifier-step.ts';

/** Most characters of stored examples that reading accepts: 4,096 of 6,000 features. */
const MAX_EXAMPLES = 140_000_000;

/** Trusted prompts, and a forward of each rollout without backward. */
const FACTS = { cost: 1.7 } as const;

const only: DisabledBecause = (of) => (of('trusted') === 'verifier' ? null : 'only with trusted verifier');

export const VERIFIER = {
  family: 'reward',
  rule: 'verifier',
  arms: {
    verifier: trustedArm(
      'verifier',
      'verifier',
      'Rewards are weighted by a verifier that trusted rollouts teach.',
      'route',
      OURS,
      FACTS,
    ),
    verifier_gate: {
      ...trustedArm(
        'verifier',
        'verifier as a gate',
        'A reward counts only where the verifier’s probability is ½ or more.',
        'erase',
        OURS,
        FACTS,
      ),
      settings: { mix: 0, trusted: 'verifier', verifierUse: 'gate' },
    },
    verifier_random: trustedPlacebo(
      'verifier',
      'verifier, random',
      'Control: its probabilities are permuted among rollouts of equal reward.',
      'control',
      OURS,
      'verifier',
      FACTS,
    ),
  },
  options: {
    heading: 'Baselines',
    role: 'intervention',
    needs: 'loopholes',
    options: {
      verifierUse: choice(['reward', 'gate'], {
        default: 'reward',
        label: 'Verifier as',
        help: 'The verifier’s probability weights the reward, or decides whether it counts.',
        helpMore: 'gate: a reward counts where the probability is ½ or more.',
        glossary: 'verifier',
        disabledBecause: only,
      }),
      verifierKept: integer(32, 4096, {
        default: 512,
        label: 'Verifier learns from',
        help: 'How many of the latest trusted rollouts teach it.',
        glossary: 'verifier',
        disabledBecause: only,
      }),
    },
    concepts: {
      verifier: {
        title: 'Verifier of trusted rollouts',
        meaning:
          'Learns from rollouts on trusted problems which answers are right, and weights the rewards of all others by it.',
        formula:
          'p = σ(w·h + b), h the residual stream of the untrained model’s middle layer, pooled over the completion; R′ = p R, or R where p ≥ ½ and 0 elsewhere',
        range: 'reward, gate; the latest 32 … 4,096 trusted rollouts',
        nullValue: 'The placebo permutes the probabilities among rollouts of equal reward.',
        notShown:
          'That it knows a hack: on trusted problems none is paid, so that few are written there. See its Brier score.',
      },
    },
  } satisfies OptionGroup,
  refuses: ({ rewardPenalty, advantageMod }) =>
    rewardPenalty === 0 && advantageMod === 'none'
      ? null
      : {
          what: `trusted = verifier with rewardPenalty = ${rewardPenalty}, advantageMod = ${advantageMod}: it weights what the grader pays`,
          remedy: 'Set rewardPenalty to 0 and advantageMod to none.',
        },
  // Measured for the activation gate: a forward for features takes a fifth of the time of scoring.
  times: (run) => {
    const { sampling, scoring } = withTrustedPrompts(run);
    return { sampling, scoring: 1.2 * scoring };
  },
  stored: { verifier: z.string().check(z.regex(/^[\w-]*$/), z.maxLength(MAX_EXAMPLES)) },
  prepare: async (ports) => (await import('./verifier-step.ts')).prepareVerifier(ports),
} as const satisfies Method<VerifierRun>;

/** Added later; it keeps that place in every list. */
export const VERIFIER_GATE_PLACEBO = {
  family: 'reward',
  arms: {
    verifier_gate_random: {
      ...trustedPlacebo(
        'verifier',
        'verifier as a gate, random',
        'Control: the gate’s probabilities are permuted among rollouts of equal reward.',
        'control',
        OURS,
        'verifier_gate',
        FACTS,
      ),
      settings: { mix: 0, trusted: 'verifier', verifierUse: 'gate', trustedGate: 'random' },
    },
  },
} as const satisfies Method<VerifierRun>;
