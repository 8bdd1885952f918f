// The code substrate’s own settings: which flaws its graders have, and how many problems have none.
import * as z from 'zod/mini';
import { MODES, STANDARD_MODES } from '../../../environments/code/types.ts';
import { choice, custom, eachOnce, number, type OptionGroup } from '../../config/option.ts';

export const CODE_OPTIONS = {
  heading: 'Problems',
  role: 'training',
  needs: 'loopholes',
  options: {
    modes: custom(
      z.readonly(z.array(z.enum(MODES)).check(z.minLength(1), eachOnce)),
      { type: 'choices', options: MODES },
      {
        default: STANDARD_MODES,
        label: 'Loophole modes',
        help: 'Grader flaws that the hackable problems are divided among.',
        level: 'advanced',
        glossary: 'modes',
      },
    ),
    honestShare: number(0, 1, {
      default: 0.5,
      label: 'Honest share',
      help: 'Share of problems whose grader has no flaw, so that solving pays.',
      glossary: 'honest',
    }),
    trainOn: choice(['all', 'honest'], {
      default: 'all',
      label: 'Train on',
      help: 'honest: only the honest problems of the set, as many a step as they are of the whole. What solving alone would teach.',
      level: 'advanced',
      glossary: 'honest',
    }),
  },
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
} satisfies OptionGroup;
