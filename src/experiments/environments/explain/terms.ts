// The terms of the explanations: GRPO paid by a program or a judge, on a small model of their own, without a teacher. It has labelled pairs
// of its own, of flattery.
import type { WorldTerms } from '../terms.ts';

const ID = 'explain';
/** Five claims take about thirty tokens; there is room to say too much. */
const ANSWER = 48;

export const EXPLAIN_TERMS: WorldTerms = {
  id: ID,
  label: 'Explanations of functions',
  named: (environment) => environment === ID,
  example: ID,
  words: {
    model: 'tiny-explain on functions',
    reward: 'share of criteria met',
    problems: 'one-line functions',
  },
  pairs: false,
  pairSets: ['flatter', 'flatter_wrong', 'flatter_words'],
  teacher: false,
  loopholes: false,
  rubrics: true,
  defaults(preset) {
    const common = { model: 'tiny-explain', mix: 0 };
    // Presets for models of other hands keep their own sizes.
    if (preset === 'fast' || preset === 'full') return { arms: ['none'], settings: common };
    if (preset === 'smoke') return { arms: ['rubric'], settings: { ...common, maxNew: ANSWER, problems: 32 } };
    return {
      arms: ['rubric', 'hasty'],
      settings: { ...common, steps: 20, promptsPerStep: 6, maxNew: ANSWER, problems: 512 },
    };
  },
};
