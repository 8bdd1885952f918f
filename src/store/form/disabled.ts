// Settings that cannot have an effect in the experiment as it is, and why: a LoRA rank without LoRA, or a clip when every ratio is 1. They
// stay in the form, marked, so that nobody expects an effect from them or searches for a missing field. The rules are declared with the
// options (experiments/config/options).

import { ARMS, type Arm, type ArmName } from '../../experiments/config/arms.ts';
import { disabledReasonOf, lackOf } from '../../experiments/config/effect.ts';
import { isFixedAtFork } from '../../experiments/config/fork.ts';
import { type SettingName, settingText } from '../../experiments/config/settings.ts';
import type { Draft } from '../draft.ts';

type Fields = Draft['fields'];

/** Text of a setting in one arm of the form: the arm's own value takes precedence over the field's. */
const textIn =
  (arm: Arm, fields: Fields) =>
  (name: SettingName): string => {
    const own = arm.settings[name];
    return own === undefined ? fields[name].trim() : settingText(own);
  };

/** Why the field's value has no effect in any chosen arm; null if it has an effect in one of them. */
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
  // If an arm sets its own value, that is the more informative reason.
  return reasons.find((reason) => reason?.startsWith('each')) ?? reasons[0];
}

/** Whether the setting belongs to other environments, that is, no choice in this environment can give it an effect. */
export function isOfOtherEnvironments(name: SettingName, { arms, fields }: Pick<Draft, 'arms' | 'fields'>): boolean {
  const lacks = (key: ArmName) => {
    const arm: Arm = ARMS[key];
    return arm.settings[name] === undefined && lackOf(name, textIn(arm, fields)) !== null;
  };
  return arms.length > 0 && arms.every(lacks);
}
