// From a setting to the glossary's entry on it, as its facet says.
import { FIELDS } from '../../experiments/spec/fields.ts';
import type { SettingName } from '../../experiments/spec/spec.ts';
import type { GlossaryId } from './glossary.ts';

export const glossaryOf = (name: SettingName): GlossaryId => FIELDS[name].about as GlossaryId;
