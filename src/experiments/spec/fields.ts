// Every setting of a run by name: its schema, its bounds, its words, its usual value. Made from the facets.

import type { Idle, Setting } from './facet.ts';
import { FACETS } from './facets.ts';
import type { FieldInfo } from './field-kinds.ts';
import type { SettingName, Settings } from './settings.ts';

export type { Projection, ProjectTarget } from '../../algorithms/optimizer.ts';
export type { Gate } from '../../algorithms/projection.ts';
export { expectation, type FieldGroup, type FieldInfo, type FieldKind, GROUPS } from './field-kinds.ts';
export type { BasisSource, LossType, SettingName, Settings } from './settings.ts';

type FieldTable = { readonly [K in SettingName]: Setting<Settings[K]> };
type NamesOf<F> = F extends { settings: infer S } ? keyof S : never;
/** A setting that no facet has does not compile: `never` is no table. */
type Complete = SettingName extends NamesOf<(typeof FACETS)[number]> ? FieldTable : never;

interface FacetRules {
  settings: Readonly<Record<string, Setting<unknown>>>;
  idle?: Idle;
}
const both =
  (facets: Idle, own: Idle | undefined): Idle =>
  (of, arm) =>
    facets(of, arm) ?? own?.(of, arm) ?? null;

/** In the order in which records hold them. */
export const FIELDS = Object.fromEntries(
  FACETS.flatMap(({ settings, idle }: FacetRules) =>
    Object.entries(settings).map(([name, field]) => [name, idle ? { ...field, idle: both(idle, field.idle) } : field]),
  ),
) as unknown as Complete;

export const SETTING_NAMES = Object.keys(FIELDS) as SettingName[];

/** What every preset has unless it says otherwise; also what a setting is in a run kept before that setting existed. */
export const COMMON = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, FIELDS[name].usual]),
) as unknown as Settings;

/** The table's words and bounds, without schemas: what a form or a help page needs. */
export function describeFields(): FieldInfo[] {
  return FACETS.flatMap(({ group, settings }) =>
    Object.entries(settings).map(([name, { kind, words }]) => ({
      name: name as SettingName,
      kind,
      group,
      unit: '',
      level: 'basic' as const,
      ...words,
    })),
  );
}
