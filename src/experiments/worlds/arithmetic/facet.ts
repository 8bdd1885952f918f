// The word problems' own setting: whom an answer is paid for agreeing with.
import { ESTIMATORS } from '../../../environments/agreement/types.ts';
import { type Facet, setting } from '../../spec/facet.ts';
import { withoutReferences } from '../../spec/facets/of-world.ts';
import { choice } from '../../spec/field-kinds.ts';

export const ARITHMETIC_FACET = {
  group: 'Problems',
  role: 'intervention',
  idle: withoutReferences,
  settings: {
    reference: setting(
      choice(['truth', ...ESTIMATORS], {
        label: 'Reference',
        help: 'What answers are paid for agreeing with.',
        level: 'advanced',
      }),
      { usual: 'truth', about: 'reference' },
    ),
  },
  contradictions: [],
  concepts: {
    reference: {
      title: 'Reference',
      meaning: 'What answers are paid for agreeing with.',
      formula: 'R = 1[answer = reference]; of the truth the world’s own',
      range: 'the truth, or how one is made of the group',
      nullValue: 'random, one.',
      notShown: 'That it is right.',
    },
  },
} satisfies Facet<'reference'>;
