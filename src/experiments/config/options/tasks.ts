// Number and choice of training problems.
import { integer, type OptionGroup } from '../../../lib/option.ts';

export const TASKS = {
  heading: 'Problems',
  role: 'training',
  options: {
    problems: integer(2, 100_000, {
      default: 256,
      label: 'Problems',
      help: 'Size of the training set.',
      glossary: 'problems',
    }),
    dataSeed: integer(0, 2 ** 31 - 1, {
      default: 7,
      label: 'Data seed',
      help: 'Fixes problems, pairs, teacher pool and evaluation set.',
      helpMore: 'The seeds of the runs do not change them.',
      glossary: 'problems',
    }),
  },
  concepts: {
    problems: {
      title: 'Problems and their seed',
      meaning: 'How many problems are trained on, and which: the data seed fixes them for every arm and seed.',
      formula:
        'data seed → problems, pairs, teacher pool, evaluation set; disjoint families for training and evaluation',
      range: 'problems ≥ prompts per step',
      nullValue: 'None: another data seed is another environment.',
      notShown: 'Scatter over environments, unless the data seed is varied too.',
    },
  },
} satisfies OptionGroup;
