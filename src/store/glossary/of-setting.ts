// Maps a setting to the glossary entry that its declaration names.
import type { SettingName } from '../../experiments/config/settings.ts';
import type { GlossaryId } from './glossary.ts';
import { entryOf } from './settings.ts';

export const glossaryOf = (name: SettingName): GlossaryId => entryOf(name) as GlossaryId;
