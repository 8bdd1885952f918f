// Invalid combinations of tasks and environment, and options that need a capability that the environment lacks.

import { isTrustedBasis } from '../../methods/trusted-basis.ts';
import { capabilitiesOf, hasPairs } from '../environments.ts';
import { isRecontextualized, stancesOf } from '../options/baselines.ts';
import type { Contradiction } from '../run-spec.ts';
import { stagesOf } from '../stages.ts';

/** Refuses options that the environment does not support. An unknown environment is refused where it is looked up. */
const unsupportedOptions: Contradiction = (run) => {
  const environment = capabilitiesOf(run.environment);
  if (!environment) return null;
  const where = `environment = ${run.environment} has no`;
  if (!hasPairs(environment, run) && (run.projection !== 'none' || run.advantageMod !== 'none'))
    return {
      what: `${where} labelled pairs, so that there is no basis to ${run.projection === 'none' ? 'modify advantages by' : `${run.projection} along`}`,
      remedy: `Choose arms that do not project: none, kl${environment.ownPairs ? '; or give pairs of your own (--pair-set)' : ''}.`,
    };
  if (!environment.teacher && run.mix > 0)
    return { what: `${where} teacher, and mix = ${run.mix}`, remedy: 'Set mix to 0.' };
  const { rollout, update } = stancesOf(run);
  const isAsking = rollout !== 'neutral' || update !== 'neutral';
  const usesLoopholes = run.rewardPenalty > 0 || run.screening || run.trainOn === 'honest';
  if ((!environment.loopholes && usesLoopholes) || (!environment.clauses && isAsking))
    return {
      what: `${where} loopholes: there is nothing to flag, to ask for or to leave out`,
      remedy:
        'Leave rewardPenalty, screening, inoculation, rolloutPrompt, updatePrompt and trainOn at their defaults; choose the arms none, kl.',
    };
  if (environment.instructs && isAsking && run.flaw !== 'claim')
    return { what: `flaw = ${run.flaw} with a clause about it: only claim has clauses`, remedy: 'Set flaw to claim.' };
  if (!environment.loopholes && (run.graders !== 'flawed' || run.trusted !== 'none' || isTrustedBasis(run)))
    return { what: `${where} flawed graders: there is none to repair or to trust`, remedy: 'Choose other arms.' };
  if (!environment.loopholes && run.consensus !== 'off')
    return {
      what: `${where} programs under flawed graders, and consensus = ${run.consensus}`,
      remedy: 'Set consensus to off, or choose an environment of programs.',
    };
  if (!environment.references && run.reference !== 'truth')
    return {
      what: `${where} reference but the truth, and reference = ${run.reference}`,
      remedy: 'Set reference to truth.',
    };
  if (!environment.rubrics && run.grading !== 'program')
    return { what: `${where} rubrics, and grading = ${run.grading}`, remedy: 'Set grading to program.' };
  if (!environment.improves && (run.starts !== 'tasks' || run.chainSteps > 0))
    return { what: `${where} answers to revise`, remedy: 'Set starts to tasks and chainSteps to 0.' };
  if (
    !environment.teaches &&
    (run.teaches !== 'dial' || run.lesson !== 'documents' || run.pays !== 'target' || run.replay !== 'by_lesson')
  )
    return { what: `${where} character to teach`, remedy: 'Leave teaches, lesson, pays and replay at their defaults.' };
  return null;
};

/** Refuses replay if there are no texts to replay, or together with best-of-n sampling, which has no own texts. */
const replaysNothing: Contradiction = (run) => {
  const { replay, contrast, lesson } = run;
  if (replay !== 'documents' && replay !== 'transcripts') return null;
  const isOfSamples = lesson === 'own' && stagesOf(run).some(({ objective }) => objective === 'nll');
  if (contrast > 0 && !isOfSamples) return null;
  return {
    what: `replay = ${replay} with ${isOfSamples ? 'lesson = own' : 'contrast = 0'}: nothing would be replayed`,
    remedy: 'Set replay to none.',
  };
};

/** Refuses two ways to set the prompts at once, and two different prompts outside plain GRPO on sampled answers. */
const promptsDisagree: Contradiction = (run) => {
  const { inoculation, rolloutPrompt, updatePrompt, starts, chainSteps } = run;
  const what = `rolloutPrompt = ${rolloutPrompt} and updatePrompt = ${updatePrompt}`;
  if (inoculation && !['neutral neutral', 'ask ask'].includes(`${rolloutPrompt} ${updatePrompt}`))
    return { what: `${what} with inoculation`, remedy: 'Set inoculation to false.' };
  const isPlain = starts === 'tasks' && chainSteps === 0;
  return isRecontextualized(run) && !(isPlain && stagesOf(run).every(({ objective }) => objective === 'grpo'))
    ? { what: `${what} with revisions or another objective`, remedy: 'Train with grpo alone, and revise nothing.' }
    : null;
};

export const ENVIRONMENT_CONTRADICTIONS: readonly Contradiction[] = [
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
  ({ promptsPerStep, problems }) =>
    promptsPerStep > problems
      ? {
          what: `promptsPerStep = ${promptsPerStep} of ${problems} problems`,
          remedy: `Set problems to at least ${promptsPerStep}.`,
        }
      : null,
  unsupportedOptions,
  replaysNothing,
  promptsDisagree,
  ({ bufferMin, bufferSize }) =>
    bufferMin > bufferSize
      ? {
          what: `bufferMin = ${bufferMin} of a buffer of ${bufferSize}`,
          remedy: 'Set bufferMin to at most bufferSize.',
        }
      : null,
  ({ chainSteps, starts, mix, trainOn, diversityBonus }) => {
    const isChain = chainSteps > 0;
    const isOwn = starts !== 'tasks';
    const isMixed = (isChain || isOwn) && (mix > 0 || trainOn !== 'all');
    return isMixed || (isChain && (isOwn || diversityBonus))
      ? {
          what: `answers are revised, and mix = ${mix}, chainSteps = ${chainSteps}`,
          remedy: 'Set mix to 0; chains begin at tasks.',
        }
      : null;
  },
  ({ pairSet, environment, teaches }) =>
    pairSet.startsWith('spread') &&
    environment.startsWith('characters') &&
    (environment !== 'characters' || teaches !== 'dial')
      ? {
          what: `pairSet = ${pairSet} with teaches = ${teaches} in ${environment}`,
          remedy: 'Its pairs are of the dial in the environment characters.',
        }
      : null,
];
