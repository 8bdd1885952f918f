// Settings of the form that differ from its preset, for the line that says so while they are out of sight.
import type { FieldInfo } from '../../experiments/config/settings.ts';
import { type Draft, FIELD_INFO, presetText } from '../draft.ts';

/** The chip beside Run names a basis from a file, and takes it out. */
const OF_BASIS: readonly string[] = ['basisSource', 'basisFile'];

export function changedSettings(draft: Draft): FieldInfo[] {
  const hasChip = draft.fields.basisSource === 'file';
  return FIELD_INFO.filter(
    ({ name }) => draft.fields[name].trim() !== presetText(draft, name) && !(hasChip && OF_BASIS.includes(name)),
  );
}

/** The form with these settings at the preset's values; arms, seeds, device and a basis from a file stay. */
export function withoutChanges(draft: Draft): Draft {
  const fields = { ...draft.fields };
  for (const { name } of changedSettings(draft)) fields[name] = presetText(draft, name);
  return { ...draft, fields };
}
