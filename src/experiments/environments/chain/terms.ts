// The terms of the chain puzzles: plain GRPO or ExIt on a small model of their own, without a teacher, pairs or anything to exploit.
import { KS } from '../../exit/steps.ts';
import type { WorldTerms } from '../terms.ts';

const ID = 'chain';
/** Seven digits and the end. */
const ANSWER = 8;

export const CHAIN_TERMS: WorldTerms = {
  id: ID,
  label: 'Chain puzzles, improved step by step',
  named: (environment) => environment === ID,
  example: ID,
  words: {
    model: 'tiny-chain on puzzles',
    reward: 'share of relations, or what a revision gained',
    problems: 'digits by hidden relations',
  },
  pairs: false,
  pairSets: ['sandbag'],
  teacher: false,
  loopholes: false,
  improves: true,
  answersEvaluated: 1 + Math.max(...KS),
  defaults(preset) {
    const exit = {
      bufferSize: 256,
      bufferMin: 16,
      kappa: 8,
      divergeShare: 0,
      prefix: 'whole',
      gain: 'signed',
    } as const;
    const common = { model: 'tiny-chain', mix: 0, scaleRewards: 'group', ...exit } as const;
    // Presets for models of other hands keep their own sizes.
    if (preset === 'fast' || preset === 'full') return { arms: ['none'], settings: common };
    const small = { ...common, adapter: 'lora', lr: 1e-3, maxNew: ANSWER } as const;
    if (preset === 'smoke') return { arms: ['exit'], settings: { ...small, bufferMin: 1, problems: 32 } };
    return { arms: ['none', 'exit'], settings: { ...small, steps: 150, problems: 512, finalEvalProblems: 128 } };
  },
};
