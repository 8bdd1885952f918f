// Settings of the form that differ from its preset, for the line that lists them while they are hidden.
import type { FieldInfo } from '../../experiments/config/settings.ts';
import { type Draft, FIELD_INFO, presetText } from '../draft.ts';

/** A basis from a file is shown, and can be removed, in the chip beside Run. */
const OF_BASIS: readonly string[] = ['basisSource', 'basisFile'];

export function changedSettings(draft: Draft): FieldInfo[] {
  const hasChip = draft.fields.basisSource === 'file';
  return FIELD_INFO.filter(
    ({ name }) => draft.fields[name].trim() !== presetText(draft, name) && !(hasChip && OF_BASIS.includes(name)),
  );
}

/** The form with these settings reset to the preset's values. Arms, seeds, device and a basis from a file are preserved. */
export function withoutChanges(draft: Draft): Draft {
  const fields = { ...draft.fields };
  for (const { name } of changedSettings(draft)) fields[name] = presetText(draft, name);
  return { ...draft, fields };
}
