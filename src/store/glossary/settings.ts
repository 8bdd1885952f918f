// What the settings' concepts mean, for the question mark beside each field of the form: the rule it enters, its values, the
// value at which it does nothing, and what it does not decide. The words stand with the settings (experiments/spec/facets), after
// docs/method.md; entries of metrics are in glossary.ts.
import type { GlossaryEntry } from '../../experiments/spec/facet.ts';
import { FACETS } from '../../experiments/spec/facets.ts';

type Concepts<F> = F extends { concepts: infer C } ? keyof C : never;
export type SettingConcept = Concepts<(typeof FACETS)[number]>;

export const SETTING_CONCEPTS = Object.assign({}, ...FACETS.map(({ concepts }) => concepts)) as Readonly<
  Record<SettingConcept, GlossaryEntry>
>;
