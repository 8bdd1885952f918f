// How many problems are trained on, and which.
import { type Facet, setting } from '../facet.ts';
import { integer } from '../field-kinds.ts';

export const TASKS = {
  group: 'Problems',
  role: 'training',
  settings: {
    problems: setting(integer(2, 100_000, { label: 'Problems', help: 'Size of the training set.' }), {
      usual: 256,
      about: 'problems',
    }),
    dataSeed: setting(
      integer(0, 2 ** 31 - 1, {
        label: 'Data seed',
        help: 'Fixes problems, pairs, teacher pool and evaluation set, apart from the runs’ own seeds.',
        level: 'advanced',
      }),
      { usual: 7, about: 'problems' },
    ),
  },
  contradictions: [
    ({ promptsPerStep, problems }) =>
      promptsPerStep > problems
        ? {
            what: `promptsPerStep = ${promptsPerStep} of ${problems} problems`,
            remedy: `Set problems to at least ${promptsPerStep}.`,
          }
        : null,
  ],
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
} satisfies Facet<'problems' | 'dataSeed'>;
