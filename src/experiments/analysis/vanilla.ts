// The single definition of vanilla: plain GRPO with the experiment's own settings. A run is compared with the run of the same seed that trains
// plainly and differs from it in one thing: the projection, or the settings that the run's arm fixes. Tables, verdicts and paired comparisons
// take their reference from here. An environment may name an arm that replaces vanilla where vanilla was not run. Names and colours use
// `isVanillaEquivalent`.

import { oncePer } from '../../lib/once-per.ts';
import { ARMS, type Arm, trainsUnprojected, VANILLA_ARMS } from '../config/arms.ts';
import { disabledReasonIn, meaningIn } from '../config/effect.ts';
import { capabilitiesOf } from '../config/environments.ts';
import { presetIn } from '../config/preset-in.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { FIELDS, type SettingName, settingsOf } from '../config/settings.ts';
import { withDefaults } from '../config/spec.ts';
import type { RunRecord } from '../records/events.ts';

/** Settings that decide how a run trains, apart from its projection. */
const TRAINED_BY = settingsOf('training', 'intervention');
const INTERVENTIONS = settingsOf('intervention');

/** Undefined for an arm of another version of the lab, whose settings are unknown. */
const armOf = (name: string): Arm | undefined => (ARMS as Record<string, Arm>)[name];
const isVanillaArm = (arm: string): boolean => VANILLA_ARMS.some((name) => name === arm);

/**
 * Whether the trained model of this arm stands for vanilla: vanilla itself, or a run that trains like it if vanilla has no run of its
 * own.
 *
 * @param arms all arms that are shown together
 */
export const isVanillaEquivalent = (arm: string, arms: readonly string[]): boolean =>
  arm === 'none' || (isVanillaArm(arm) && !arms.includes('none'));

/** The arm whose run doubles as vanilla's, if vanilla has no run of its own. */
export const vanillaWithin = <A extends string>(arms: readonly A[]): A | null =>
  arms.find((arm) => arm !== 'none' && isVanillaEquivalent(arm, arms)) ?? null;

/** Equal keys mean equal training apart from seed and projection. Cached per spec, since every run is compared with every other. */
export const trainingKey = oncePer((spec: RunSpec): string => {
  const all = withDefaults(spec);
  const values = TRAINED_BY.map((name) => meaningIn(all, name));
  return JSON.stringify(spec.fork ? [...values, beginningOf(spec)] : values);
});

/** Key of a fork's first steps, equal for forks that share them; null for a run that is no fork. */
const beginningOf = ({ fork }: RunSpec): string | null => (fork ? JSON.stringify([fork.step, fork.spec]) : null);

/** Settings that replace plain GRPO on the environment's own reward. */
export function interventionsOn(spec: RunSpec): SettingName[] {
  const all = withDefaults(spec);
  const isDefault = (name: SettingName) =>
    all[name] === FIELDS[name].default ||
    same(meaningIn(all, name), meaningIn({ ...all, [name]: FIELDS[name].default }, name));
  return INTERVENTIONS.filter((name) => !isDefault(name) && disabledReasonIn(all, name) === null);
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The runs that `spec` is compared with, one per seed; empty if there are none. They include its own run if that is vanilla.
 *
 * @param runs the complete runs
 * @param isProjected false to compare the training without its projection; for a route/update run that is its undeployed model
 */
export function vanillaOf(
  spec: RunSpec,
  runs: readonly RunRecord[],
  isProjected = spec.projection !== 'none',
): RunRecord[] {
  const unprojected = runs.filter((run) => trainsUnprojected(run.spec));
  // A projection is compared with the same training without one, whatever else its arm fixes.
  const key = trainingKey(spec);
  const alike = isProjected ? unprojected.filter((run) => trainingKey(run.spec) === key) : [];
  if (alike.length > 0) return onePerSeed(alike);
  const fixed = fixedBy(spec);
  const plain = unprojected.filter((run) => isVanillaArm(run.spec.arm) && differsIn(fixed, spec, run.spec));
  if (plain.length === 0) return onePerSeed(vanillaSubstitutes(spec, runs));
  const keys = [...new Set(plain.map((run) => trainingKey(run.spec)))];
  if (keys.length < 2) return onePerSeed(plain);
  // If several trainings fit, the one with the preset's values is taken.
  const preset = presetIn(spec.preset, spec.environment).settings;
  const atPreset = plain.filter((run) => fixed.every((name) => same(withDefaults(run.spec)[name], preset[name])));
  return onePerSeed(atPreset);
}

/** The sets of runs that are a reference for some arm here, each once. */
export function referencesOf(runs: readonly RunRecord[]): RunRecord[][] {
  const arms = [...new Set(runs.map(({ spec }) => spec.arm))];
  const found = new Map<RunRecord, RunRecord[]>();
  for (const arm of arms) {
    const { spec } = runs.find((run) => run.spec.arm === arm)!;
    const vanilla = vanillaOf(spec, runs);
    if (vanilla.length > 0) found.set(vanilla[0], vanilla);
  }
  return [...found.values()];
}

const fixedBy = ({ arm }: RunSpec): SettingName[] => Object.keys(armOf(arm)?.settings ?? {}) as SettingName[];

/**
 * Runs of the arm that the environment names to replace vanilla, if they differ from `spec` only in settings that the two arms fix. Empty if no
 * other arm was run, because then there is nothing to compare.
 */
function vanillaSubstitutes(spec: RunSpec, runs: readonly RunRecord[]): RunRecord[] {
  const reference = capabilitiesOf(spec.environment)?.reference;
  const isOther = ({ spec: { arm } }: RunRecord) => arm !== reference;
  if (reference === undefined || !runs.some(isOther)) return [];
  return runs.filter((run) => !isOther(run) && differsIn([...fixedBy(spec), ...fixedBy(run.spec)], spec, run.spec));
}

/** Whether the two train alike except for these settings, and for settings without effect in a vanilla run. */
function differsIn(fixed: readonly SettingName[], spec: RunSpec, vanilla: RunSpec): boolean {
  const [a, b] = [withDefaults(spec), withDefaults(vanilla)];
  if (beginningOf(spec) !== beginningOf(vanilla)) return false;
  return TRAINED_BY.every(
    (name) =>
      same(a[name], b[name]) ||
      same(meaningIn(a, name), meaningIn(b, name)) ||
      fixed.includes(name) ||
      disabledReasonIn(b, name) !== null,
  );
}

/** One run per seed, by ascending seed; `none` is preferred to route/update. */
function onePerSeed(runs: readonly RunRecord[]): RunRecord[] {
  const bySeed = new Map<number, RunRecord>();
  for (const run of runs) {
    const known = bySeed.get(run.spec.seed);
    if (!known || rank(run.spec) < rank(known.spec)) bySeed.set(run.spec.seed, run);
  }
  return [...bySeed.values()].sort((a, b) => a.spec.seed - b.spec.seed);
}

/** Vanilla arms rank before arms that fix settings, and runs without projection before runs with one. */
const rank = ({ arm, projection }: RunSpec): number => (isVanillaArm(arm) ? 0 : 2) + (projection === 'none' ? 0 : 1);
