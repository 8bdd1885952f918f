// A fork: a run whose first steps are another run's, its parent's, and whose settings differ from there on. Random numbers are keyed by
// seed, step, prompt and sample, so parent and child share them wherever both draw: the difference between the two is the change of settings
// alone. The parent's settings are part of the child's, so a fork repeats anywhere, whether its parent is kept there or not. This file says
// which settings may change at a fork.
import type { RunSpec } from './run-spec.ts';
import { COMMON, FIELDS, SETTING_NAMES, type SettingName, type Settings, settingsOf } from './settings.ts';

/** Steps of a run that are trained under one spec: those after the previous segment, up to `until`. */
export interface Segment {
  spec: RunSpec;
  until: number;
}

/** In order; a run that is no fork is one segment. */
export function segmentsOf(spec: RunSpec): Segment[] {
  const { fork } = spec;
  const before = fork ? segmentsOf(fork.spec).filter(({ until }) => until < fork.step) : [];
  return [...before, ...(fork ? [{ spec: fork.spec, until: fork.step }] : []), { spec, until: spec.steps }];
}

/** The spec under which a run made its checkpoint after so many steps: at the fork itself it is still the parent's. */
export function specAt(spec: RunSpec, step: number): RunSpec {
  return (segmentsOf(spec).find(({ until }) => step <= until) ?? { spec }).spec;
}

/** Settings of these headings say what is trained and on which problems. */
const FIXED_HEADINGS: readonly string[] = ['Adapter', 'Problems'];
/** Exceptions among them, which say what an answer is paid. */
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
/** Settings that say which rollouts a step has, or from what a step learns. */
const STEP: readonly SettingName[] = ['groupSize', 'promptsPerStep', 'maxTurns', 'objective', 'stages'];

/** Whether a fork keeps its parent's value. */
export const isFixedAtFork = (name: SettingName): boolean =>
  STEP.includes(name) || (FIXED_HEADINGS.includes(FIELDS[name].heading) && !PAY.includes(name));

/** What is wrong with a fork, and what to do; null for a possible one. */
export function forkFault(child: RunSpec): { what: string; remedy: string } | null {
  const { fork } = child;
  if (!fork) return null;
  const { step, run, spec: parent } = fork;
  const what = (fault: string) => `fork of ${run} at step ${step}: ${fault}`;
  if (step < 1)
    return {
      what: what('no step is shared'),
      remedy: 'Start a new run with the same seed: it is paired from step 1 on.',
    };
  if (step > parent.steps)
    return { what: what(`its parent has ${parent.steps} steps`), remedy: `Choose a step from 1 to ${parent.steps}.` };
  if (step >= child.steps)
    return {
      what: what(`steps = ${child.steps} leaves no step of its own`),
      remedy: `Set steps to ${step + 1} or more.`,
    };
  if (parent.fork && step <= parent.fork.step)
    return {
      what: what(`its parent is itself a fork, of ${parent.fork.run} at step ${parent.fork.step}`),
      remedy: `Fork ${parent.fork.run}: until there both are the same run.`,
    };
  if (child.seed !== parent.seed)
    return {
      what: what(`seed = ${child.seed}, and its parent’s is ${parent.seed}`),
      remedy: 'Keep the seed: with another one the two share no random numbers. Start a new run for a new seed.',
    };
  const [own, theirs]: Settings[] = [
    { ...COMMON, ...child },
    { ...COMMON, ...parent },
  ];
  const text = (settings: Settings, name: SettingName) => JSON.stringify(settings[name]);
  // Another environment brings other values of much else.
  const names = ['environment' as const, ...SETTING_NAMES];
  const changed = names.find((name) => isFixedAtFork(name) && text(own, name) !== text(theirs, name));
  if (changed)
    return {
      what: what(`${changed} = ${text(own, changed)}, and its parent’s is ${text(theirs, changed)}`),
      remedy: `${whyFixed(changed)} Keep ${changed}, or start a new run.`,
    };
  for (const spec of [child, parent])
    if (spec.basisSource === 'random_matched')
      return {
        what: what(`${spec.arm} takes a basis that is matched to all steps of a whole vanilla run`),
        remedy: 'Fork with basisSource random, permuted or flipped as the control.',
      };
  if (own.trusted === 'curriculum' && curriculumOf(own) !== curriculumOf(theirs))
    return {
      what: what('a curriculum begins with its trusted steps, and those are over or were not taken'),
      remedy: 'Keep trusted, curriculumShare and steps as the parent has them, or start a new run.',
    };
  return null;
}

/** What decides how many steps of a run are trusted. */
const curriculumOf = ({ trusted, curriculumShare, steps }: Settings): string =>
  JSON.stringify([trusted, curriculumShare, steps]);

function whyFixed(name: SettingName): string {
  if (FIELDS[name].heading === 'Adapter') return 'The parent’s adapter parameters have no meaning in another adapter.';
  if (name === 'model') return 'The parent’s adapter parameters have no meaning in another model.';
  if (STEP.includes(name)) return 'It decides which rollouts a step has, and they would no longer be paired.';
  return 'It decides the problems and prompts, and the steps would no longer be paired.';
}

/** What a replay of kept steps reads of a spec: how Δ is split into quarantines, and, where weights decay, the rates. */
function replayedBy(spec: RunSpec): string {
  const all: RunSpec & Settings = { ...COMMON, ...spec };
  const rates = all.weightDecay === 0 ? [] : [all.lr, all.lrSchedule, all.warmupFrac, all.steps];
  const split = all.projection === 'route' ? [all.shadows, settingsOf('projection').map((name) => all[name])] : [];
  return JSON.stringify([all.projection, all.weightDecay, rates, split]);
}

/** Whether one replay of all kept steps, the parent's and the fork's own, makes again what the fork made. */
export const replaysAlike = (parent: RunSpec, child: RunSpec): boolean => replayedBy(parent) === replayedBy(child);
