// Meaning of the options' concepts, for the question mark beside each field of the form: the formula in which it occurs, its values, the
// value at which it has no effect, and what it does not determine. The words are declared with the options (experiments/config/options) and
// follow docs/explanation/method.md. Entries of metrics are in glossary.ts.
import { FIELDS, OPTION_GROUPS, SETTING_NAMES, type SettingName } from '../../experiments/config/settings.ts';
import { ENVIRONMENT_CONCEPTS } from '../../experiments/environments/registry.ts';
import type { GlossaryEntry } from '../../lib/option.ts';

type Concepts<G> = G extends { concepts: infer C } ? keyof C : never;
/** Concepts that several options share. */
export type SettingConcept = Concepts<(typeof OPTION_GROUPS)[number]> | keyof typeof ENVIRONMENT_CONCEPTS;

/** The prefix is needed if a metric has the same name as an option (the learning rate). */
const ownId = (name: SettingName): string => `option:${name}`;
const shared = OPTION_GROUPS.map((group) => ('concepts' in group ? group.concepts : {}));
const own = SETTING_NAMES.flatMap((name) => {
  const { glossary } = FIELDS[name];
  return typeof glossary === 'string' ? [] : [[ownId(name), glossary]];
});

export const SETTING_CONCEPTS = Object.assign({}, ...shared, ENVIRONMENT_CONCEPTS, Object.fromEntries(own)) as Readonly<
  Record<SettingConcept, GlossaryEntry>
>;

/** Id of an option's glossary entry: its own, that of a concept, or that of a metric. */
export function entryOf(name: SettingName): string {
  const { glossary } = FIELDS[name];
  return typeof glossary === 'string' ? glossary : ownId(name);
}
