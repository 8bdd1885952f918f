// The arms that an experiment compares. Each is data: the settings that it fixes on top of the experiment's, one line for readers, and a
// colour key. An arm's own settings override the user's, so that an arm's name always means the same.
import { ARENA_ARMS } from './arms/arena.ts';
import { type Arm, trainsUnprojected } from './arms/arm.ts';
import { CHARACTER_ARMS } from './arms/characters.ts';
import { EXIT_ARMS } from './arms/exit.ts';
import { PROJECTION_ARMS } from './arms/projection.ts';
import { REFERENCE_ARMS } from './arms/references.ts';

export { type Arm, trainsUnprojected } from './arms/arm.ts';

/** In the order of forms and tables. */
export const ARMS = {
  ...PROJECTION_ARMS,
  ...REFERENCE_ARMS,
  ...EXIT_ARMS,
  ...CHARACTER_ARMS,
  ...ARENA_ARMS,
} as const satisfies Record<string, Arm>;

export type ArmName = keyof typeof ARMS;
export const ARM_NAMES = Object.keys(ARMS) as ArmName[];
/** Arms that fix no setting: they train vanilla. */
export const VANILLA_ARMS: readonly ArmName[] = ARM_NAMES.filter((name) => {
  const arm: Arm = ARMS[name];
  return trainsUnprojected(arm) && Object.keys(arm.settings).length === 0;
});
