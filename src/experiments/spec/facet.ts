// A facet: some settings of a run that belong together, with all that is to be said of them in one place: bounds and words for
// form, URL and command line; the usual value; when a setting cannot act; which values contradict each other; and what the
// glossary says. The spec is the sum of its facets (facets.ts); a world adds one of its own.
import type { Projection } from '../../algorithms/optimizer.ts';
import type { Field, FieldGroup } from './field-kinds.ts';
import type { RunSpec } from './run-spec.ts';
import type { SettingName, Settings } from './settings.ts';

/** What stands behind the question mark beside a setting or a metric. */
export interface GlossaryEntry {
  title: string;
  /** One sentence. */
  meaning: string;
  formula: string;
  range: string;
  /** What it shows without any effect: of a random gradient, of the untrained base, … */
  nullValue: string;
  /** The conclusion that it does not carry. */
  notShown: string;
}

/**
 * What a setting is for in a comparison. `training`: the task, the model and how it is trained; `intervention`: something done in
 * place of plain GRPO on the environment's own reward; `projection`: what a basis is and what is done along it; `logging`: what
 * is evaluated and saved on the way. What is compared shares the first two but for what its arm fixes (reading/vanilla.ts).
 */
export const ROLES = ['training', 'intervention', 'projection', 'logging'] as const;
export type Role = (typeof ROLES)[number];

/** Why a setting cannot act where the others are as `of` has them (as typed), in one arm; null where it can. */
export type Idle = (of: (name: SettingName) => string, arm: { projection: Projection }) => string | null;

export interface Setting<T> extends Field<T> {
  /** Of a preset that says nothing else, and of a run that was kept before the setting existed. */
  usual: T;
  /** The glossary's entry: a concept of this facet or another, or a metric. */
  about: string;
  idle?: Idle;
  /** Its facet's where absent. */
  role?: Role;
}

export const setting = <T>(field: Field<T>, rest: Omit<Setting<T>, keyof Field<T>>): Setting<T> => ({
  ...field,
  ...rest,
});

/** What is wrong with a run, and what to do; null where nothing is. */
export type Contradiction = (run: RunSpec) => { what: string; remedy: string } | null;

export interface Facet<Names extends SettingName> {
  /** The heading of its settings in a form. */
  group: FieldGroup;
  role: Role;
  settings: { readonly [K in Names]: Setting<Settings[K]> };
  /** When none of its settings can act; before their own rules. */
  idle?: Idle;
  contradictions: readonly Contradiction[];
  concepts: Readonly<Record<string, GlossaryEntry>>;
}
