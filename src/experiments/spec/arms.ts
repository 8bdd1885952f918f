// The arms: what an experiment compares. Each is data: what it fixes on top of the experiment's settings, one line for a
// person, and a colour key. An arm's own settings win over a person's overrides, so that a name always means the same thing.
import type { Arm } from './arms/arm.ts';
import { CHARACTER_ARMS } from './arms/characters.ts';
import { EXIT_ARMS } from './arms/exit.ts';
import { PROJECTION_ARMS } from './arms/projection.ts';
import { REFERENCE_ARMS } from './arms/references.ts';

export type { Arm } from './arms/arm.ts';

/** In the order that forms and tables have. */
export const ARMS = {
  ...PROJECTION_ARMS,
  ...REFERENCE_ARMS,
  ...EXIT_ARMS,
  ...CHARACTER_ARMS,
} as const satisfies Record<string, Arm>;

export type ArmName = keyof typeof ARMS;
export const ARM_NAMES = Object.keys(ARMS) as ArmName[];
/** Arms that train as vanilla does, with the experiment's own settings: their kept steps are vanilla's. */
export const VANILLA_ARMS = ['none', 'route-update'] as const satisfies readonly ArmName[];
