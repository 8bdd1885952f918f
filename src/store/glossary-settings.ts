// What the settings' concepts mean, for the question mark beside each field of the form: the rule it enters, its values, the
// value at which it does nothing, and what it does not decide. The words follow docs/method.md. Which setting reaches which
// entry stands in setting-glossary.ts; entries of metrics are in glossary.ts.
import type { GlossaryEntry } from './glossary.ts';
import { BASIS_CONCEPTS } from './glossary-basis.ts';
import { TRAINING_CONCEPTS } from './glossary-training.ts';
import { WORLD_CONCEPTS } from './glossary-world.ts';

export type SettingConcept = keyof typeof TRAINING_CONCEPTS | keyof typeof BASIS_CONCEPTS | keyof typeof WORLD_CONCEPTS;

export const SETTING_CONCEPTS: Readonly<Record<SettingConcept, GlossaryEntry>> = {
  ...TRAINING_CONCEPTS,
  ...BASIS_CONCEPTS,
  ...WORLD_CONCEPTS,
};
