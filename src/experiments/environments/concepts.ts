// The glossary's entries that list what every environment has.
import type { GlossaryEntry } from '../../lib/option.ts';
import { TERMS } from '../config/environments.ts';

/** `one-line-python: …; arithmetic: …` */
const ofEach = (what: 'reward' | 'problems'): string =>
  TERMS.flatMap(({ id, words }) => (words ? `${id}: ${words[what]}` : [])).join('; ');

export const ENVIRONMENT_CONCEPTS = {
  model: {
    title: 'Student model',
    meaning: 'The language model whose adapter parameters are trained.',
    formula: `Embedded and pretrained: ${TERMS.flatMap(({ words }) => words?.model ?? []).join(', ')}`,
    range: 'The environment’s own, or an imported model',
    nullValue: 'The untrained base stands in every table.',
    notShown: 'What a larger model would do: an embedded one knows its environment alone.',
  },
  environment: {
    title: 'Environment',
    meaning: 'Where problems, graders and hints come from.',
    formula: ofEach('reward'),
    range: ofEach('problems'),
    nullValue: 'The untrained base’s reward.',
    notShown: 'gt_correct, the strict oracle on held tests: it never reaches a reward.',
  },
} as const satisfies Record<string, GlossaryEntry>;
