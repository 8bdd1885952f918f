// The word problems' own setting: whom an answer is paid for agreeing with.
import { ESTIMATORS } from '../../../environments/agreement/types.ts';
import { choice, type OptionGroup } from '../../config/option.ts';

export const ARITHMETIC_OPTIONS = {
  heading: 'Problems',
  role: 'intervention',
  needs: 'references',
  options: {
    reference: choice(['truth', ...ESTIMATORS], {
      default: 'truth',
      label: 'Reference',
      help: 'What answers are paid for agreeing with.',
      level: 'advanced',
      glossary: 'reference',
    }),
  },
  concepts: {
    reference: {
      title: 'Reference',
      meaning: 'What answers are paid for agreeing with.',
      formula: 'R = 1[answer = reference]; of the truth the environment’s own',
      range: 'the truth, or how one is made of the group',
      nullValue: 'random, one.',
      notShown: 'That it is right.',
    },
  },
} satisfies OptionGroup;
