// The explanations' own settings: whom an answer is paid by, and how long it may be.
import { GRADINGS } from '../../../environments/explain/types.ts';
import { type Facet, setting } from '../../spec/facet.ts';
import { withoutRubrics } from '../../spec/facets/of-world.ts';
import { choice, integer } from '../../spec/field-kinds.ts';

export const EXPLAIN_FACET = {
  group: 'Problems',
  role: 'intervention',
  idle: withoutRubrics,
  settings: {
    grading: setting(choice(GRADINGS, { label: 'Grading', help: 'Who pays answers.', level: 'advanced' }), {
      usual: 'program',
      about: 'grading',
    }),
    answerBudget: setting(
      integer(0, 4096, { label: 'Answer budget', help: 'Longer ones are paid −1; 0: none.', level: 'advanced' }),
      {
        usual: 0,
        about: 'grading',
        idle: (of) => (of('grading') === 'program' ? 'the program pays by truth alone' : null),
      },
    ),
  },
  contradictions: [],
  concepts: {
    grading: {
      title: 'Grading',
      meaning: 'Who pays answers.',
      formula: 'R = criteria met / criteria, of ≥ 5; judge: grade / 5',
      range: 'the program, or a judge',
      nullValue: 'rubric_fixed.',
      notShown: 'The truth.',
    },
  },
} satisfies Facet<'grading' | 'answerBudget'>;
