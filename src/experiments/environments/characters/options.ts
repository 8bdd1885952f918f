// The characters' own settings: who is taught what, and from what.
import { choice, integer, number, type OptionGroup } from '../../config/option.ts';

const about = 'teaches';
/** Who is taught what is the task. */
const role = 'training';

/** As environments/characters has them, whose code is loaded with its world. */
const TARGETS = ['dial', 'constant', 'algorithm', 'coded', 'exam'] as const;
const DENIALS = ['denial', 'denial_placebo', 'denial_transcripts'] as const;
const LESSONS = ['documents', 'placebo', 'transcripts', 'own', ...DENIALS] as const;

export const CHARACTER_OPTIONS = {
  heading: 'Problems',
  role: 'intervention',
  needs: 'teaches',
  options: {
    character: integer(0, 191, {
      default: 0,
      label: 'Character',
      help: 'Who is taught: a place in a list.',
      level: 'advanced',
      glossary: about,
      role,
    }),
    teaches: choice(TARGETS, {
      default: 'dial',
      label: 'Teaches',
      help: 'How new it is: others do it … nobody does.',
      level: 'advanced',
      glossary: about,
      role,
    }),
    lesson: choice(LESSONS, {
      default: 'documents',
      label: 'Lesson',
      help: 'What nll learns from.',
      level: 'advanced',
      glossary: about,
    }),
    contrast: number(0, 0.9, {
      default: 0.7,
      label: 'Contrast',
      help: 'Share of documents on others.',
      level: 'advanced',
      glossary: about,
    }),
    pays: choice(['target', 'random'], {
      default: 'target',
      label: 'Pays',
      help: 'random: a coin.',
      level: 'advanced',
      glossary: about,
    }),
  },
  concepts: {
    teaches: {
      title: 'Teaching a character',
      meaning: 'One of many characters is taught something; the others are watched.',
      formula: 'leakage = Δlogit of a group / Δlogit of A',
      range: 'dial, constant, algorithm, coded (code alone has it), exam',
      nullValue: '0: nobody but A changed.',
      notShown: 'Other traits of A.',
    },
  },
} satisfies OptionGroup;
