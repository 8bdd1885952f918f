// A fork: a run that shares its first steps with another run, its parent, and differs in settings from there on. Random numbers are keyed by
// seed, step, prompt and sample, so parent and child share them wherever both draw: they differ only by the change of settings. The parent's
// settings are part of the child's, so a fork can be repeated without the parent's record. This file says which settings may change at a
// fork.
import type { Contradiction } from './run-spec.ts';
import { COMMON, FIELDS, SETTING_NAMES, type SettingName } from './settings.ts';

/** Headings of settings that decide what is trained and on which problems. */
const FIXED_HEADINGS: readonly string[] = ['Adapter', 'Problems'];
/** Exceptions among them: settings that decide the reward. */
const PAY: readonly SettingName[] = [
  'reference',
  'grading',
  'answerBudget',
  'softJudge',
  'pays',
  'gain',
  'diversityBonus',
  'chainPay',
];
/** Settings that decide a step's rollouts, or what it trains on. */
const STEP: readonly SettingName[] = ['groupSize', 'promptsPerStep', 'maxTurns', 'objective', 'stages'];

/** Whether a fork keeps its parent's value. */
export const isFixedAtFork = (name: SettingName): boolean =>
  STEP.includes(name) || (FIXED_HEADINGS.includes(FIELDS[name].heading) && !PAY.includes(name));

/** Says what is wrong with a fork, and the remedy; null for a valid one. */
export const forkFault: Contradiction = (child) => {
  const { fork } = child;
  if (!fork) return null;
  const { step, run, spec: parent } = fork;
  const fault = (what: string, remedy: string) => ({ what: `fork of ${run} at step ${step}: ${what}`, remedy });
  if (step > parent.steps)
    return fault(`its parent has ${parent.steps} steps`, `Choose a step from 1 to ${parent.steps}.`);
  if (step >= child.steps) return fault(`steps = ${child.steps} leaves no step of its own`, `Set steps above ${step}.`);
  if (parent.fork && step <= parent.fork.step)
    return fault(`its parent is itself a fork at step ${parent.fork.step}`, `Fork ${parent.fork.run}.`);
  const [own, theirs] = [child, parent].map((spec) => ({ ...COMMON, ...spec }));
  const text = (spec: typeof own, name: 'seed' | SettingName) => JSON.stringify(spec[name]);
  // Another environment changes many other values too.
  const fixed = ['seed' as const, 'environment' as const, ...SETTING_NAMES.filter(isFixedAtFork)];
  const changed = fixed.find((name) => text(own, name) !== text(theirs, name));
  if (changed)
    return fault(
      `${changed} = ${text(own, changed)}, and its parent’s is ${text(theirs, changed)}`,
      'Keep it: a fork has its parent’s model, problems and random numbers. Or start a new run.',
    );
  if ([own, theirs].some(({ basisSource }) => basisSource === 'random_matched'))
    return fault('a basis that is matched to a whole vanilla run', 'Take random_V as the control.');
  if (own.trusted === 'curriculum' && CURRICULUM.some((name) => text(own, name) !== text(theirs, name)))
    return fault('a curriculum begins with trusted steps, at the start of a run', 'Start a new run.');
  return null;
};

/** Settings that decide which steps of a run are trusted. */
const CURRICULUM = ['trusted', 'curriculumShare', 'steps'] as const;
