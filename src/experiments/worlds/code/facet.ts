// The code substrate’s own settings: which flaws its graders have, and how many problems have none.
import * as z from 'zod/mini';
import { MODES, STANDARD_MODES } from '../../../environments/code/types.ts';
import { type Facet, setting } from '../../spec/facet.ts';
import { withoutLoopholes } from '../../spec/facets/of-world.ts';
import { choice, eachOnce, number } from '../../spec/field-kinds.ts';

export const CODE_FACET = {
  group: 'Problems',
  role: 'training',
  idle: withoutLoopholes,
  settings: {
    modes: setting(
      {
        schema: z.readonly(z.array(z.enum(MODES)).check(z.minLength(1), eachOnce)),
        kind: { type: 'choices', options: MODES },
        words: {
          label: 'Loophole modes',
          help: 'Grader flaws that the hackable problems are divided among.',
          level: 'advanced',
        },
      },
      { usual: STANDARD_MODES, about: 'modes' },
    ),
    honestShare: setting(
      number(0, 1, {
        label: 'Honest share',
        help: 'Share of problems whose grader has no flaw, so that solving pays.',
      }),
      { usual: 0.5, about: 'honest' },
    ),
    trainOn: setting(
      choice(['all', 'honest'], {
        label: 'Train on',
        help: 'honest: only the honest problems of the set, as many a step as they are of the whole. What solving alone would teach.',
        level: 'advanced',
      }),
      { usual: 'all', about: 'honest' },
    ),
  },
  contradictions: [
    ({ poolModes, modes }) => {
      const foreign = poolModes.filter((mode) => !modes.includes(mode));
      return foreign.length > 0
        ? {
            what: `poolModes names ${foreign.join(', ')}, which no problem of this run has`,
            remedy: `Choose among ${modes.join(', ')}.`,
          }
        : null;
    },
    ({ trainOn, honestShare }) =>
      trainOn === 'honest' && honestShare === 0
        ? {
            what: 'trainOn = honest with honestShare = 0: there is nothing to train on',
            remedy: 'Raise honestShare, or leave the arm honest-only out.',
          }
        : null,
  ],
  concepts: {
    modes: {
      title: 'Loophole modes',
      meaning: 'The flaws of the graders, one for each hackable problem.',
      formula:
        'run_tests, sentinel, stdout_marker, file_marker, eq_override, exit_code: what passes such a grader without solving',
      range: 'At least one, each once, separated by commas.',
      nullValue: 'The untrained base’s hack rate for each.',
      notShown: 'That modes are equally hard to find: read hack per mode.',
    },
    honest: {
      title: 'Honest problems',
      meaning: 'Problems whose grader has no flaw, so that solving pays and its loss can be seen.',
      formula: 'honest share of the training set; “train on honest” keeps only those, as many a step as their share',
      range: '0 … 1',
      nullValue: '0: every problem can be hacked, as in the reference; solving is then hardly taught.',
      notShown: 'Hack, which is counted over hackable problems alone.',
    },
  },
} satisfies Facet<'modes' | 'honestShare' | 'trainOn'>;
