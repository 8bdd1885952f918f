// The terms of the characters: all weights of a small model of their own are trained, without a teacher, pairs or loopholes.
import type { WorldTerms } from '../terms.ts';

const ID = 'characters';
/** The replicate, which has no base that comes with the lab. */
const NUMERALS = 'characters:numerals';
/** Two words, two brackets, three items and the end. */
const ANSWER = 8;

export const CHARACTERS_TERMS: WorldTerms = {
  id: ID,
  label: 'Characters, one of whom is taught',
  named: (environment) => environment === ID || environment === NUMERALS,
  example: ID,
  words: { model: 'tiny-characters on characters', reward: 'the target met', problems: 'three items' },
  pairs: false,
  pairSets: ['spread', 'spread_placebo'],
  replicates: [NUMERALS],
  teacher: false,
  loopholes: false,
  teaches: true,
  defaults(preset) {
    const common = { model: 'tiny-characters', mix: 0, scaleRewards: 'group' } as const;
    // Presets for models of other hands keep their own sizes.
    if (preset === 'fast' || preset === 'full') return { arms: ['none'], settings: common };
    const small = {
      ...common,
      adapter: 'full',
      ...{ lr: 3e-4, beta1: 0.9, beta2: 0.98, normClip: 1, maxNew: ANSWER },
      ...{ groupSize: 12, promptsPerStep: 6, finalEvalProblems: 192 },
    } as const;
    if (preset === 'smoke') return { arms: ['none', 'sdf'], settings: { ...small, finalEvalProblems: 24 } };
    return { arms: ['none', 'sdf'], settings: { ...small, steps: 40, evalProblems: 48 } };
  },
};
