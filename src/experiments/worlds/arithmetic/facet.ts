// The word problems' own setting: whom an answer is paid for agreeing with.
import { ESTIMATORS } from '../../../environments/agreement/types.ts';
import { type Facet, setting } from '../../spec/facet.ts';
import { withoutReferences } from '../../spec/facets/of-world.ts';
import { choice } from '../../spec/field-kinds.ts';

export const ARITHMETIC_FACET = {
  group: 'Problems',
  idle: withoutReferences,
  settings: {
    reference: setting(
      choice(['truth', ...ESTIMATORS], {
        label: 'Reference',
        help: 'What answers are paid for agreeing with: the truth, or a reference made of the group itself.',
        level: 'advanced',
      }),
      { usual: 'truth', about: 'reference' },
    ),
  },
  contradictions: [],
  concepts: {
    reference: {
      title: 'Reference',
      meaning: 'The answer that rollouts are paid for agreeing with; made of the group, it needs no label.',
      formula: 'R = 1[answer = reference]; truth: the world’s own reward',
      range: `truth, ${ESTIMATORS.join(', ')}`,
      nullValue: 'random, one: the group’s answers without any choice.',
      notShown: 'That the reference is right: the truth is measured beside it.',
    },
  },
} satisfies Facet<'reference'>;
