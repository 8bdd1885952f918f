// Arms of the arena: methods that remove an unlabelled hack, compared by how much skill they keep (docs/arena.md). The methods declare them
// (methods/); the types here check their settings against the existing options.
import { METHOD_ARMS } from '../../methods/index.ts';
import type { ArmFacts } from '../../methods/method.ts';
import type { SettingName } from '../settings.ts';
import type { Arm } from './arm.ts';

type Arms = typeof METHOD_ARMS;
type KeysOf<T> = T extends unknown ? keyof T : never;
/** An arm that sets an unknown option does not compile. */
interface CheckedArm extends Arm {
  settings: Arm['settings'] & Partial<Record<Exclude<KeysOf<Arms[keyof Arms]['settings']>, SettingName>, never>>;
  facts: ArmFacts;
}

export const ARENA_ARMS = METHOD_ARMS satisfies Record<string, CheckedArm>;
