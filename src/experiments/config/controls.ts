// Controls: extra quarantines of a route/update run, which do not affect its training. Also the standard controls of every route table, and
// the names of models.

import type { Gate } from '../../algorithms/projection.ts';
import { environmentSet } from '../../environments/code/pair-sets/table.ts';
import type { Mode } from '../../environments/code/types.ts';
import type { Settings } from './settings.ts';

export const CONTROL_KINDS = ['real', 'random', 'random_matched', 'permuted', 'flipped', 'leave_out'] as const;

/** Settings that decide a basis made of pairs, except its width. */
export type BasisSetting =
  | 'pairs'
  | 'pairSet'
  | 'pairModes'
  | 'nHeldout'
  | 'tauAxis'
  | 'dropBottomFrac'
  | 'basisLoss'
  | 'basisKind'
  | 'solveOrth'
  | 'refreshEvery';

/** Settings of the basis that a control may override; the others are the run's. */
export type ControlSettings = Partial<Pick<Settings, BasisSetting | 'overshoot'>>;

/** An extra quarantine of a route/update run; see METHOD "Projection". */
export interface ControlSpec {
  id: string;
  /**
   * `real`: the run's own basis under another gate or k, or from other pairs; `leave_out`: from pairs of the other modes only;
   * `random_matched`: as many random axes per module as remove as much as the real basis over the whole run.
   */
  kind: (typeof CONTROL_KINDS)[number];
  gate: Gate;
  k: number;
  /** The left-out mode (kind = leave_out), else null. */
  mode: Mode | null;
  settings?: ControlSettings;
}

/** Pair sets without exploits, so that no mode can be left out. */
const NO_MECHANISM: readonly string[] = ['nonhack', 'clean_vs_clean', 'no_tests', 'placebo'];
/** Quarantines from control pairs, in environments of programs. */
const CONTROL_SETS = { nonhack_V: 'nonhack', placebo_V: 'placebo' } as const;

/** The controls of every route table: other quarantines on the same rollouts. */
export function standardControls(settings: Settings): ControlSpec[] {
  const { k, modes, pairs, nHeldout, pairSet, pairModes, basisKind, adapter } = settings;
  const own = environmentSet(pairSet);
  const control = (id: string, kind: ControlSpec['kind'], extra: Partial<ControlSpec> = {}): ControlSpec => ({
    id,
    kind,
    gate: 'one_sided',
    k,
    mode: null,
    ...extra,
  });
  const controls = [
    control('no_gate', 'real', { gate: 'no_gate' }),
    control('random_V', 'random'),
    control('permuted_V', 'permuted'),
    // LoRA has a hundred times as many adapter parameters: matching would take longer than the run, and not fit into memory.
    ...(adapter === 'svd' ? [control('random_V_matched', 'random_matched')] : []),
    control('flipped_V', 'flipped'),
    // An environment without programs has no control pairs made of programs.
    ...Object.entries(own?.controls ?? CONTROL_SETS).map(([id, pairSet]) =>
      control(id, 'real', { settings: { pairSet } }),
    ),
  ];
  // A basis has at most as many axes as pairs.
  const wide = Math.min(16, pairs - nHeldout);
  if (wide > k && basisKind === 'svd') controls.push(control(`k${wide}`, 'real', { k: wide }));
  // Where only some modes have pairs, the others are already left out.
  if (modes.length > 1 && pairModes.length === 0 && !own && !NO_MECHANISM.includes(pairSet))
    for (const mode of modes) controls.push(control(`without_${mode}`, 'leave_out', { mode }));
  return controls;
}

/** Interpolation weights between the base and the trained model at which a run is also evaluated; exact in binary. */
export const ALPHAS = [1, 2, 3, 4, 5, 6, 7].map((eighths) => eighths / 8);

/** Models that merging is compared with (algorithms/trusted/merge.ts). */
export const MERGE_CONTROLS = ['random', 'scaled', 'average'] as const;
export type MergeControl = (typeof MERGE_CONTROLS)[number];

/** Only the quarantined part of a routed run, on the untrained model. */
export const QUARANTINE = 'quarantine';

/** Steps of plain RL after deployment, which measure how fast a deployed model relearns the hack (kinds/run/relearn.ts). */
export const RELEARN_STEPS = 20;
/** The deployed model after these steps, and the untrained one as reference. */
export const RELEARNED = 'relearned';
export const BASE_RELEARNED = 'base_relearned';

/** `random_V` → `random V`; for legends and tables. */
export function modelLabel(model: string): string {
  const names: Record<string, string> = {
    base: 'base (untrained)',
    total: 'vanilla (same run)',
    deployed: 'deployed',
    steered_base: 'steered base',
    no_gate: 'deployed, no gate',
    random_V: 'deployed, random V',
    permuted_V: 'deployed, permuted V',
    random_V_matched: 'deployed, random V matched',
    flipped_V: 'deployed, flipped V',
    nonhack_V: 'deployed, non-hack V',
    placebo_V: 'deployed, placebo V',
    other_V: 'deployed, V of another hack',
    early_V: 'deployed, early V',
    early_stop: 'stopped early',
    [QUARANTINE]: 'quarantine alone',
    merge: 'merged with vanilla',
    merge_random: 'merged, vanilla’s signs random',
    merge_scaled: 'scaled to the norm of merged',
    merge_average: 'averaged with vanilla',
    [RELEARNED]: `after ${RELEARN_STEPS} more steps of plain RL`,
    [BASE_RELEARNED]: `untrained, after ${RELEARN_STEPS} steps of plain RL`,
  };
  const way = interpolationOf(model);
  if (way) return `${way.isDeployed ? 'deployed' : 'trained'}, α = ${way.alpha}`;
  const left = /^without_(.+)$/.exec(model);
  if (left) return `deployed, basis without ${left[1]} (basis only)`;
  const wide = /^k(\d+)$/.exec(model);
  if (wide) return `deployed, k = ${wide[1]}`;
  return names[model] ?? model;
}

/** Position of a model interpolated between the base and the trained or deployed model; null for any other. */
export function interpolationOf(model: string): { isDeployed: boolean; alpha: number } | null {
  const way = /^(deployed_)?alpha_(.+)$/.exec(model);
  return way && { isDeployed: way[1] !== undefined, alpha: Number(way[2]) };
}
