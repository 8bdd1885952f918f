// The experiment that reproduces a run's record: for a form, a link, or the parent of a fork.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { ARMS, type Arm, type ArmName } from './arms.ts';
import type { RunFork, RunSpec } from './run-spec.ts';
import { SETTING_NAMES } from './settings.ts';
import { type ExperimentSpec, type Fork, parseExperimentSpec, resolveParent, withDefaults } from './spec.ts';

/** The experiment that reproduces a run's record, for a form or a link. Options that an old record lacks were at their defaults, and still
 *  are. */
export function experimentOf(spec: RunSpec): ExperimentSpec {
  const { settings: fixed } = ARMS[spec.arm] as Arm;
  const named = SETTING_NAMES.filter((name) => !(name in fixed) && spec[name] !== undefined);
  const overrides = Object.fromEntries(named.map((name) => [name, spec[name]]));
  // A matched random basis needs vanilla's steps of the same seed.
  const arms: ArmName[] = spec.basisSource === 'random_matched' ? ['route-update', spec.arm] : [spec.arm];
  const fork = spec.fork && forkAt(spec.fork);
  return parseExperimentSpec({ preset: spec.preset, arms, seeds: [spec.seed], overrides, ...(fork && { fork }) });
}

/** A parent in the form that an experiment stores. Throws SpecError if this version would resolve its settings differently. */
export function forkAt({ run, step, spec }: RunFork): Fork {
  const { preset, overrides, fork } = experimentOf(spec);
  const parent: Fork = { run, step, preset, arm: spec.arm, seed: spec.seed, overrides, ...(fork && { fork }) };
  const again = withDefaults(resolveParent(parent).spec);
  const kept = withDefaults(spec);
  const changed = SETTING_NAMES.filter((name) => JSON.stringify(again[name]) !== JSON.stringify(kept[name]));
  if (changed.length > 0)
    throw new SpecError(
      `${run} was made with settings that its arm ${spec.arm} does not have here (${changed.join(', ')})`,
      'Fork a run that this version of the lab made.',
    );
  return parent;
}
