// Shadows: extra quarantines that ride along in a route/update run, which trains as it would without them. The controls that every
// route table shows, and what they are called.

import type { Gate } from '../../algorithms/projection.ts';
import { worldSet } from '../../environments/code/pair-sets/table.ts';
import type { Mode } from '../../environments/code/types.ts';
import type { Settings } from './settings.ts';

export const SHADOW_KINDS = ['real', 'random', 'random_matched', 'permuted', 'flipped', 'leave_out'] as const;

/** What decides a basis made of pairs, its width apart. */
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

/** Settings of the basis that a shadow may have of its own; what it leaves out is the run's. */
export type ShadowSettings = Partial<Pick<Settings, BasisSetting | 'overshoot'>>;

/** An extra quarantine that rides along in a route/update run; see METHOD "Projection". */
export interface ShadowSpec {
  id: string;
  /**
   * `real`: the run's own basis under another gate or k, or of other pairs; `leave_out`: pairs of the other modes only;
   * `random_matched`: as many random axes a module as remove as much as the real basis over the whole run.
   */
  kind: (typeof SHADOW_KINDS)[number];
  gate: Gate;
  k: number;
  /** The mode left out (kind = leave_out), else null. */
  mode: Mode | null;
  settings?: ShadowSettings;
}

/** Pair sets that show no exploit: there is no mode to leave out of them. */
const NO_MECHANISM: readonly string[] = ['nonhack', 'clean_vs_clean', 'no_tests', 'placebo'];
/** Quarantines of control pairs, of environments of programs. */
const CONTROL_SETS = { nonhack_V: 'nonhack', placebo_V: 'placebo' } as const;

/** Same rollouts, other quarantines: the controls that a route table always shows. */
export function standardShadows(settings: Settings): ShadowSpec[] {
  const { k, modes, pairs, nHeldout, pairSet, pairModes, basisKind, adapter } = settings;
  const own = worldSet(pairSet);
  const shadow = (id: string, kind: ShadowSpec['kind'], extra: Partial<ShadowSpec> = {}): ShadowSpec => ({
    id,
    kind,
    gate: 'one_sided',
    k,
    mode: null,
    ...extra,
  });
  const shadows = [
    shadow('no_gate', 'real', { gate: 'no_gate' }),
    shadow('random_V', 'random'),
    shadow('permuted_V', 'permuted'),
    // A hundred times as many adapter parameters: matching it takes longer than the run, and does not fit in memory.
    ...(adapter === 'svd' ? [shadow('random_V_matched', 'random_matched')] : []),
    shadow('flipped_V', 'flipped'),
    // Of an environment without programs no control is made of programs.
    ...Object.entries(own?.controls ?? CONTROL_SETS).map(([id, pairSet]) =>
      shadow(id, 'real', { settings: { pairSet } }),
    ),
  ];
  // A basis has at most as many axes as pairs.
  const wide = Math.min(16, pairs - nHeldout);
  if (wide > k && basisKind === 'svd') shadows.push(shadow(`k${wide}`, 'real', { k: wide }));
  // With pairs of some modes only, the others are left out already.
  if (modes.length > 1 && pairModes.length === 0 && !own && !NO_MECHANISM.includes(pairSet))
    for (const mode of modes) shadows.push(shadow(`without_${mode}`, 'leave_out', { mode }));
  return shadows;
}

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
    early_V: 'deployed, early V',
  };
  const left = /^without_(.+)$/.exec(model);
  if (left) return `deployed, basis without ${left[1]} (basis only)`;
  const wide = /^k(\d+)$/.exec(model);
  if (wide) return `deployed, k = ${wide[1]}`;
  return names[model] ?? model;
}
