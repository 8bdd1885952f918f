// The explanations' own settings: whom an answer is paid by, and how long it may be.
import { GRADINGS } from '../../../environments/explain/types.ts';
import { choice, integer, type OptionGroup } from '../../config/option.ts';

export const EXPLAIN_OPTIONS = {
  heading: 'Problems',
  role: 'intervention',
  needs: 'rubrics',
  options: {
    grading: choice(GRADINGS, {
      default: 'program',
      label: 'Grading',
      help: 'Who pays answers.',
      level: 'advanced',
      glossary: 'grading',
    }),
    answerBudget: integer(0, 4096, {
      default: 0,
      label: 'Answer budget',
      help: 'Longer ones are paid −1; 0: none.',
      level: 'advanced',
      glossary: 'grading',
      disabledBecause: (of) => (of('grading') === 'program' ? 'the program pays by truth alone' : null),
    }),
  },
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
} satisfies OptionGroup;
