// The arms: what an experiment compares. Each is data: what it fixes on top of the experiment's settings, one line for a
// person, and a colour key. An arm's own settings win over a person's overrides, so that a name always means the same thing.
import type { Mode } from '../environments/code/types.ts';
import type { Gate, Projection, ProjectTarget, Settings } from './fields.ts';

/** An extra quarantine that rides along in a route/update run; see METHOD "Projection". */
export interface ShadowSpec {
  id: string;
  /** `real`: the run's own basis under another gate or k; `leave_out`: pairs of the other modes only. */
  kind: 'real' | 'random' | 'permuted' | 'leave_out';
  gate: Gate;
  k: number;
  /** The mode left out (kind = leave_out), else null. */
  mode: Mode | null;
}

export interface Arm {
  /** Short name in legends and tables. */
  label: string;
  description: string;
  projection: Projection;
  projectTarget: ProjectTarget;
  settings: Partial<Settings>;
  /** Key of a colour in the page's palette. */
  colour: 'vanilla' | 'erase' | 'route' | 'control' | 'control2' | 'control3' | 'teacher';
  /** Carries the standard shadows (route/update only). */
  shadows: boolean;
}

const arm = (
  label: string,
  description: string,
  projection: Projection,
  projectTarget: ProjectTarget,
  colour: Arm['colour'],
  settings: Partial<Settings> = {},
): Arm => ({
  label,
  description,
  projection,
  projectTarget,
  settings,
  colour,
  shadows: projection === 'route' && projectTarget === 'update',
});

export const ARMS = {
  none: arm('vanilla', 'Plain GRPO; the overlap with the hack basis is only measured.', 'none', 'gradient', 'vanilla'),
  erase: arm('erase', 'The hack-ward part of the gradient is dropped before AdamW.', 'erase', 'gradient', 'erase'),
  route: arm(
    'route',
    'The hack-ward part of the gradient trains a quarantine with its own AdamW; deployment drops it.',
    'route',
    'gradient',
    'route',
  ),
  'erase-update': arm(
    'erase (update)',
    'The hack-ward part of each AdamW step is dropped, so that moments cannot turn it back.',
    'erase',
    'update',
    'erase',
  ),
  'route-update': arm(
    'route (update)',
    'Training is exactly vanilla; the hack-ward part of each step is quarantined and dropped at deployment.',
    'route',
    'update',
    'route',
  ),
  random_V: arm(
    'erase, random V',
    'Control: erases random directions, as many per module as the real basis has.',
    'erase',
    'gradient',
    'control',
    { basisSource: 'random' },
  ),
  permuted_V: arm(
    'erase, permuted V',
    'Control: the basis of the same pairs with all labels pooled and permuted.',
    'erase',
    'gradient',
    'control2',
    { basisSource: 'permuted' },
  ),
  'random_V-route': arm(
    'route, random V',
    'Control: routes random directions into the quarantine.',
    'route',
    'gradient',
    'control3',
    { basisSource: 'random' },
  ),
  'no_gate-erase': arm(
    'erase, no gate',
    'Erases the component along the basis both ways, hack-ward or not.',
    'erase',
    'gradient',
    'control2',
    { gate: 'no_gate' },
  ),
  no_teacher: arm(
    'vanilla, no teacher',
    'Control: plain GRPO on live rollouts alone, without the cached teacher half.',
    'none',
    'gradient',
    'teacher',
    { mix: 0 },
  ),
  'no_teacher-route': arm(
    'route (update), no teacher',
    'route (update) on live rollouts alone.',
    'route',
    'update',
    'teacher',
    { mix: 0 },
  ),
} as const satisfies Record<string, Arm>;

export type ArmName = keyof typeof ARMS;
export const ARM_NAMES = Object.keys(ARMS) as ArmName[];

/** Same rollouts, other quarantines: the controls that a route table always shows. */
export function standardShadows(k: number, modes: readonly Mode[], pairs: number): ShadowSpec[] {
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
  ];
  // A basis has at most as many axes as pairs.
  const wide = Math.min(16, pairs);
  if (wide > k) shadows.push(shadow(`k${wide}`, 'real', { k: wide }));
  if (modes.length > 1) for (const mode of modes) shadows.push(shadow(`without_${mode}`, 'leave_out', { mode }));
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
  };
  const left = /^without_(.+)$/.exec(model);
  if (left) return `deployed, basis without ${left[1]} (basis only)`;
  const wide = /^k(\d+)$/.exec(model);
  if (wide) return `deployed, k = ${wide[1]}`;
  return names[model] ?? model;
}
