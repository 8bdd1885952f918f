// An environment's terms (src/environments/presentation.ts) with the lab's own presets, arms and settings for names.
import type { Terms } from '../../environments/presentation.ts';
import type { ArmName } from '../config/arms.ts';
import type { PresetName } from '../config/preset-names.ts';
import type { Settings } from '../config/settings.ts';

export type EnvironmentCapabilities = Terms<PresetName, ArmName, Settings>;

/** Whether a run in the environment has something to extract a basis from. */
export const hasPairs = ({ pairs, pairSets }: EnvironmentCapabilities, run: { pairSet: string }): boolean =>
  pairs || pairSets?.includes(run.pairSet) === true;
