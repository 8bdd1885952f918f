// Which settings cannot act in the experiment as it is, and why: a LoRA rank without LoRA, a clip where every ratio is 1. They stay in the
// form, marked, so that nobody waits for their effect or looks for a missing field. The rules are with the options
// (experiments/config/options).

import { capabilitiesOf } from '../../experiments/config/environments.ts';
import { FIELDS } from '../../experiments/config/fields.ts';
import { ARMS, type Arm, type SettingName } from '../../experiments/config/spec.ts';
import { type Draft, settingText } from '../draft.ts';

/** Why the field's value makes no difference to any chosen arm; null if it does to one of them. */
export function disabledReason(name: SettingName, { arms, fields }: Pick<Draft, 'arms' | 'fields'>): string | null {
  const reasons = arms.map((key) => {
    const arm: Arm = ARMS[key];
    const own = arm.settings[name];
    if (own !== undefined) return `each chosen arm that needs it brings its own (${arm.label}: ${settingText(own)})`;
    const of = (other: string) => {
      const value = arm.settings[other as SettingName];
      return value === undefined ? fields[other as SettingName].trim() : settingText(value);
    };
    return FIELDS[name].disabledBecause?.(of, arm) ?? null;
  });
  if (reasons.length === 0 || reasons.includes(null)) return null;
  // An arm's own value is the better reason.
  return reasons.find((reason) => reason?.startsWith('each')) ?? reasons[0];
}

/** Whether the setting belongs to other environments: nothing that could be chosen in this one gives it an effect. */
export function isOfOtherEnvironments(name: SettingName, draft: Pick<Draft, 'arms' | 'fields'>): boolean {
  const { id } = capabilitiesOf(draft.fields.environment.trim()) ?? {};
  // The text is that of experiments/config/fields.ts.
  return id !== undefined && (disabledReason(name, draft)?.startsWith(`the environment ${id} has no `) ?? false);
}
