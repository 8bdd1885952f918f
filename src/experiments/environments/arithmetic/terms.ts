// The terms of the word problems: plain GRPO on a small model of their own, without a teacher or anything to exploit. It has
// labelled pairs of its own, of the misconception.
import type { WorldTerms } from '../terms.ts';

const ID = 'arithmetic';
/** Answers have at most 48 tokens. */
const ANSWER = 52;

export const ARITHMETIC_TERMS: WorldTerms = {
  id: ID,
  label: 'Word problems of one to three steps',
  named: (environment) => environment === ID,
  example: ID,
  words: {
    model: 'tiny-arithmetic on word problems',
    reward: '0.1 · a number in a box + 1.0 · right',
    problems: 'word problems of one to three steps',
  },
  pairs: false,
  pairSets: ['misconceive', 'misconceive_slips', 'misconceive_words'],
  teacher: false,
  loopholes: false,
  references: true,
  improves: true,
  defaults(preset) {
    const common = { model: 'tiny-arithmetic', mix: 0 };
    const arms = ['none'] as const;
    // Presets for models of other hands keep their own sizes.
    if (preset === 'fast' || preset === 'full') return { arms, settings: common };
    if (preset === 'smoke') return { arms, settings: { ...common, maxNew: ANSWER, problems: 32 } };
    // The bound beside the two that have no labels.
    const asked = ['none', 'cat', 'ttrl'] as const;
    return { arms: asked, settings: { ...common, steps: 40, maxNew: ANSWER, problems: 512 } };
  },
};
