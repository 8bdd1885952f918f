// Settings that cannot act in the experiment as it is, and why: a LoRA rank without LoRA, a clip where every ratio is 1. They stay in the
// form, marked, so that nobody waits for their effect or looks for a missing field. The rules are with the options
// (experiments/config/options).

import { ARMS, type Arm, type ArmName } from '../../experiments/config/arms.ts';
import { disabledReasonOf, lackOf } from '../../experiments/config/effect.ts';
import { isFixedAtFork } from '../../experiments/config/fork.ts';
import { type SettingName, settingText } from '../../experiments/config/settings.ts';
import type { Draft } from '../draft.ts';

type Fields = Draft['fields'];

/** Text of a setting in one arm of the form: the arm's own value before the field's. */
const textIn =
  (arm: Arm, fields: Fields) =>
  (name: SettingName): string => {
    const own = arm.settings[name];
    return own === undefined ? fields[name].trim() : settingText(own);
  };

/** Why the field's value makes no difference to any chosen arm; null if it does to one of them. */
export function disabledReason(
  name: SettingName,
  { arms, fields, fork }: Pick<Draft, 'arms' | 'fields'> & Partial<Pick<Draft, 'fork'>>,
): string | null {
  if (fork && isFixedAtFork(name)) return 'a fork keeps its parent’s';
  const reasons = arms.map((key) => {
    const arm: Arm = ARMS[key];
    const own = arm.settings[name];
    if (own !== undefined) return `each chosen arm that needs it brings its own (${arm.label}: ${settingText(own)})`;
    return disabledReasonOf(name, textIn(arm, fields), arm);
  });
  if (reasons.length === 0 || reasons.includes(null)) return null;
  // An arm's own value is the better reason.
  return reasons.find((reason) => reason?.startsWith('each')) ?? reasons[0];
}

/** Whether the setting belongs to other environments: nothing that could be chosen in this one gives it an effect. */
export function isOfOtherEnvironments(name: SettingName, { arms, fields }: Pick<Draft, 'arms' | 'fields'>): boolean {
  const lacks = (key: ArmName) => {
    const arm: Arm = ARMS[key];
    return arm.settings[name] === undefined && lackOf(name, textIn(arm, fields)) !== null;
  };
  return arms.length > 0 && arms.every(lacks);
}
