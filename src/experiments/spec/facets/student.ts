// Which model is trained, and what it acts in.
import { TERMS, termsOf } from '../../worlds/all-terms.ts';
import { hasPairs } from '../../worlds/terms.ts';
import { type Contradiction, type Facet, setting } from '../facet.ts';

import { text } from '../field-kinds.ts';

/** Asks of a world for what it has not. A world that is not known is refused where it is looked for. */
const notHere: Contradiction = (run) => {
  const world = termsOf(run.environment);
  if (!world) return null;
  const where = `environment = ${run.environment} has no`;
  if (!hasPairs(world, run) && (run.projection !== 'none' || run.advantageMod !== 'none'))
    return {
      what: `${where} labelled pairs, so that there is no basis to ${run.projection === 'none' ? 'modify advantages by' : `${run.projection} along`}`,
      remedy: 'Choose arms that do not project: none, kl.',
    };
  if (!world.teacher && run.mix > 0) return { what: `${where} teacher, and mix = ${run.mix}`, remedy: 'Set mix to 0.' };
  if (!world.loopholes && (run.rewardPenalty > 0 || run.screening || run.inoculation || run.trainOn === 'honest'))
    return {
      what: `${where} loopholes: there is nothing to flag, to ask for or to leave out`,
      remedy: 'Leave rewardPenalty, screening, inoculation and trainOn as they usually are; choose the arms none, kl.',
    };
  if (!world.references && run.reference !== 'truth')
    return {
      what: `${where} reference but the truth, and reference = ${run.reference}`,
      remedy: 'Set reference to truth.',
    };
  if (!world.rubrics && run.grading !== 'program')
    return { what: `${where} rubrics, and grading = ${run.grading}`, remedy: 'Set grading to program.' };
  if (!world.improves && (run.starts !== 'tasks' || run.chainSteps > 0))
    return { what: `${where} answers to revise`, remedy: 'Set starts to tasks and chainSteps to 0.' };
  if (!world.teaches && (run.teaches !== 'dial' || run.lesson !== 'documents' || run.pays !== 'target'))
    return { what: `${where} character to teach`, remedy: 'Leave teaches, lesson and pays as they usually are.' };
  return null;
};

/** `one-line-python: …; arithmetic: …` */
const ofEach = (what: 'reward' | 'problems'): string =>
  TERMS.flatMap(({ id, words }) => (words ? `${id}: ${words[what]}` : [])).join('; ');

export const STUDENT = {
  group: 'Problems',
  role: 'training',
  settings: {
    model: setting(text({ label: 'Model', help: 'Which student is trained.', level: 'advanced' }), {
      usual: 'tiny-coder',
      about: 'model',
    }),
    environment: setting(text({ label: 'Environment', help: 'What the student acts in.', level: 'advanced' }), {
      usual: 'one-line-python',
      about: 'environment',
    }),
  },
  contradictions: [notHere],
  concepts: {
    model: {
      title: 'Student model',
      meaning: 'The language model whose knobs are trained.',
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
  },
} satisfies Facet<'model' | 'environment'>;
