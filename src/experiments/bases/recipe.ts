// Settings that decide one basis of a run: its own, or a control's, which overrides a few of the run's settings.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { type FamilySet, familySetOf, type Mode } from '../../environments/code/types.ts';
import type { BasisSetting, ControlSettings, ControlSpec } from '../config/controls.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { Settings } from '../config/settings.ts';
import { isTrustedBasis } from '../methods/trusted-basis.ts';

export interface BasisRecipe extends Pick<Settings, 'k' | BasisSetting | 'basisFile' | 'modes' | 'dataSeed' | 'model'> {
  /** Source of the directions. */
  from: 'pairs' | 'file' | 'trusted';
  /** How the directions are changed. `random`: replaced by as many random ones. */
  control: 'none' | 'random' | 'permuted' | 'flipped';
  /** Families of the pairs; absent for the standard set, so that saved bases keep their keys. */
  families?: FamilySet;
  /** Mode whose pairs are left out. */
  leaveOut: Mode | null;
  seed: number;
}

/** Settings that decide the directions; a control that sets one of them does not use the run's imported file. */
const DIRECTIONS: readonly (keyof ControlSettings)[] = [
  'pairs',
  'pairSet',
  'pairModes',
  'nHeldout',
  'tauAxis',
  'basisLoss',
  'basisKind',
  'solveOrth',
  'refreshEvery',
];

/** `control` is null for the run's own basis. A `random_matched` basis is not extracted; it has the recipe of the real one. */
export function recipeOf(spec: RunSpec, control: ControlSpec | null): BasisRecipe {
  const own = control?.settings ?? {};
  const settings = { ...spec, ...own, k: control?.k ?? spec.k };
  const imported = spec.basisSource === 'file' && !DIRECTIONS.some((name) => own[name] !== undefined);
  const kind = control ? control.kind : spec.basisSource;
  const isTrusted = control === null && isTrustedBasis(spec);
  if (kind === 'trusted_random') return { ...recipeOf({ ...spec, basisSource: 'trusted' }, null), control: 'random' };
  const changed = kind === 'random' || kind === 'permuted' || kind === 'flipped' ? kind : 'none';
  const families = familySetOf(spec.environment);
  const fromPairs = !imported || kind === 'permuted' || kind === 'leave_out';
  return {
    k: settings.k,
    pairs: settings.pairs,
    pairSet: settings.pairSet,
    pairModes: settings.pairModes,
    nHeldout: settings.nHeldout,
    tauAxis: settings.tauAxis,
    dropBottomFrac: settings.dropBottomFrac,
    basisLoss: settings.basisLoss,
    basisKind: settings.basisKind,
    solveOrth: settings.solveOrth,
    refreshEvery: settings.refreshEvery,
    basisFile: spec.basisFile,
    modes: spec.modes,
    dataSeed: spec.dataSeed,
    model: spec.model,
    seed: spec.seed,
    from: isTrusted ? 'trusted' : fromPairs ? 'pairs' : 'file',
    control: changed,
    leaveOut: control?.kind === 'leave_out' ? control.mode : null,
    ...(families !== 'standard' && { families }),
  };
}

/** Key of the pairs that a recipe reads; equal for recipes that process the same pairs differently. */
export function setKey({ pairSet, pairModes, pairs, modes, dataSeed, model, families }: BasisRecipe): string {
  return JSON.stringify([pairSet, pairModes, pairs, modes, dataSeed, model, ...(families ? [families] : [])]);
}

/** Whether a refresh is due after `step` steps; never before the first. */
export function refreshIsDue(every: number, step: number): boolean {
  return every > 0 && step > 0 && step % every === 0;
}

/** Refuses controls that contradict the run. Throws SpecError. */
export function checkControls(spec: RunSpec, controls: readonly ControlSpec[]): void {
  const seen = new Set<string>();
  for (const control of controls) {
    const refuse = (what: string, remedy: string): never => {
      throw new SpecError(`control ${JSON.stringify(control.id)}: ${what}`, remedy);
    };
    if (seen.has(control.id)) refuse('there are two of this name', 'Give each its own.');
    seen.add(control.id);
    if (control.kind === 'random_matched') continue;
    const { from, k, pairs, nHeldout, refreshEvery, solveOrth, basisKind } = recipeOf(spec, control);
    const used = pairs - nHeldout;
    if (control.kind === 'leave_out' && control.mode === null)
      refuse('leaves out no mode', `Name one of ${spec.modes.join(', ')}.`);
    if (from === 'file' && refreshEvery > 0)
      refuse(`refreshEvery = ${refreshEvery} of an imported basis`, 'Set it to 0, or take the basis from pairs.');
    if (from === 'file') continue;
    if (used < 2) refuse(`pairs = ${pairs} with nHeldout = ${nHeldout} leaves ${used}`, 'Keep at least 2 pairs.');
    if (basisKind === 'svd' && k > used) refuse(`k = ${k} axes from ${used} pairs`, `Set k to at most ${used}.`);
    if (solveOrth > used)
      refuse(`solveOrth = ${solveOrth} axes of ${used} clean completions`, `Set it to at most ${used}.`);
  }
}
