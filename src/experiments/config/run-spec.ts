// The spec of one training run (one arm, one seed, every setting resolved), its id in its experiment, and the names of the presets.
import type { Projection, ProjectTarget } from '../../algorithms/optimizer.ts';
import type { ArmName } from './arms.ts';
import type { ControlSpec } from './controls.ts';
import type { Settings } from './settings.ts';

/** The default, the quick ones, then METHOD's table. */
export const PRESET_NAMES = ['demo', 'lesson', 'smoke', 'classic', 'capability', 'fast', 'full'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

export interface RunSpec extends Settings {
  schema: 1;
  preset: PresetName;
  arm: ArmName;
  seed: number;
  projection: Projection;
  projectTarget: ProjectTarget;
  /** Extra quarantines; only under route/update. */
  shadows: ControlSpec[];
  /** Absent for a run that starts from the untrained model. */
  fork?: RunFork;
}

/** The point at which a fork leaves its parent (fork.ts). */
export interface RunFork {
  /** The parent's id where the fork was made, for texts and for finding its stored state. No computed number depends on it. */
  run: string;
  /** Number of optimizer steps that both share; the child's own first step is the next one. */
  step: number;
  /** The parent's own spec, which may be a fork too. */
  spec: RunSpec;
}

/** What is wrong with a run, and the remedy; null for a valid run. */
export type Contradiction = (run: RunSpec) => { what: string; remedy: string } | null;

/** Derived from the run, so that a resumed experiment finds its stored runs. */
export function runIdOf(experimentId: string, { arm, seed }: Pick<RunSpec, 'arm' | 'seed'>): string {
  return `${experimentId}/${arm}/${seed}`;
}
