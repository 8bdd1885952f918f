// Every setting of a run by name: its schema, its bounds, its words, its usual value. Made from the facets.

import type { Projection } from '../../algorithms/optimizer.ts';
import type { Idle, Role, Setting } from './facet.ts';
import { FACETS } from './facets.ts';
import type { FieldInfo } from './field-kinds.ts';
import type { SettingName, Settings } from './settings.ts';

export type { Projection, ProjectTarget } from '../../algorithms/optimizer.ts';
export type { Gate } from '../../algorithms/projection.ts';
export { expectation, type FieldGroup, type FieldInfo, type FieldKind, GROUPS } from './field-kinds.ts';
export type { BasisSource, LossType, SettingName, Settings } from './settings.ts';

type FieldTable = { readonly [K in SettingName]: Setting<Settings[K]> & { role: Role } };
type NamesOf<F> = F extends { settings: infer S } ? keyof S : never;
/** A setting that no facet has does not compile: `never` is no table. */
type Complete = SettingName extends NamesOf<(typeof FACETS)[number]> ? FieldTable : never;

interface FacetRules {
  role: Role;
  settings: Readonly<Record<string, Setting<unknown>>>;
  idle?: Idle;
}
const both =
  (facets: Idle, own: Idle | undefined): Idle =>
  (of, arm) =>
    facets(of, arm) ?? own?.(of, arm) ?? null;

/** In the order in which records hold them. */
export const FIELDS = Object.fromEntries(
  FACETS.flatMap(({ role, settings, idle }: FacetRules) =>
    Object.entries(settings).map(([name, field]) => [
      name,
      { role, ...field, ...(idle ? { idle: both(idle, field.idle) } : {}) },
    ]),
  ),
) as unknown as Complete;

export const SETTING_NAMES = Object.keys(FIELDS) as SettingName[];

/** Settings of these roles, in that order too. */
export const settingsOf = (...roles: readonly Role[]): SettingName[] =>
  SETTING_NAMES.filter((name) => roles.includes(FIELDS[name].role));

/** What every preset has unless it says otherwise; also what a setting is in a run kept before that setting existed. */
export const COMMON = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, FIELDS[name].usual]),
) as unknown as Settings;

/** Why the setting makes no difference to this run; null where it does. */
export function idleIn(run: Settings & { projection: Projection }, name: SettingName): string | null {
  return FIELDS[name].idle?.((other) => String(run[other]), run) ?? null;
}

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
