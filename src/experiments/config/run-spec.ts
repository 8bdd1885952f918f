// One training run: one arm, one seed, every setting resolved.
import type { Projection, ProjectTarget } from '../../algorithms/optimizer.ts';
import type { ArmName } from './arms.ts';
import type { ControlSpec } from './controls.ts';
import type { PresetName } from './preset-names.ts';
import type { Settings } from './settings.ts';

export interface RunSpec extends Settings {
  schema: 1;
  preset: PresetName;
  arm: ArmName;
  seed: number;
  projection: Projection;
  projectTarget: ProjectTarget;
  /** Extra quarantines; only under route/update. */
  shadows: ControlSpec[];
}

/** What is wrong with a run, and what to do; null where nothing is. */
export type Contradiction = (run: RunSpec) => { what: string; remedy: string } | null;
