// The characters' own settings: who is taught what, and from what.
import { type Facet, setting } from '../../spec/facet.ts';
import { withoutCharacters } from '../../spec/facets/of-world.ts';
import { choice, integer, number, type Words } from '../../spec/field-kinds.ts';

const words = (label: string, help: string): Words => ({ label, help, level: 'advanced' });
const about = 'teaches';
/** Who is taught what is the task. */
const role = 'training';

/** As environments/characters has them, whose code is loaded with its world. */
const TARGETS = ['dial', 'constant', 'algorithm', 'coded', 'exam'] as const;
const DENIALS = ['denial', 'denial_placebo', 'denial_transcripts'] as const;
const LESSONS = ['documents', 'placebo', 'transcripts', 'own', ...DENIALS] as const;

export const CHARACTER_FACET = {
  group: 'Problems',
  role: 'intervention',
  idle: withoutCharacters,
  settings: {
    character: setting(integer(0, 191, words('Character', 'Who is taught: a place in a list.')), {
      usual: 0,
      about,
      role,
    }),
    teaches: setting(choice(TARGETS, words('Teaches', 'How new it is: others do it … nobody does.')), {
      ...{ usual: 'dial', about, role },
    }),
    lesson: setting(choice(LESSONS, words('Lesson', 'What nll learns from.')), { usual: 'documents', about }),
    contrast: setting(number(0, 0.9, words('Contrast', 'Share of documents on others.')), { usual: 0.7, about }),
    pays: setting(choice(['target', 'random'], words('Pays', 'random: a coin.')), { usual: 'target', about }),
  },
  contradictions: [
    ({ pairSet, environment, teaches }) =>
      pairSet.startsWith('spread') &&
      environment.startsWith('characters') &&
      (environment !== 'characters' || teaches !== 'dial')
        ? {
            what: `pairSet = ${pairSet} with teaches = ${teaches} in ${environment}`,
            remedy: 'Its pairs are of the dial in the environment characters.',
          }
        : null,
  ],
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
} satisfies Facet<'character' | 'teaches' | 'lesson' | 'contrast' | 'pays'>;
