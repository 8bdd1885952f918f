// The arena: what removes a hack that nobody labelled, and what it keeps (docs/arena.md). Its arms are declared by their methods (methods/); here
// they are held to what there is of options and of arms.
import { METHOD_ARMS } from '../../methods/index.ts';
import type { ArmFacts } from '../../methods/method.ts';
import type { SettingName } from '../settings.ts';
import type { Arm } from './arm.ts';

type Arms = typeof METHOD_ARMS;
type KeysOf<T> = T extends unknown ? keyof T : never;
/** No arm sets an option that there is not. */
interface Held extends Arm {
  settings: Arm['settings'] & Partial<Record<Exclude<KeysOf<Arms[keyof Arms]['settings']>, SettingName>, never>>;
  facts: ArmFacts;
}

export const ARENA_ARMS = METHOD_ARMS satisfies Record<string, Held>;
