// Every option of a run by name, with its group's declaration: schema, bounds, words, default, role, when it has no effect.

import type { Projection } from '../../algorithms/optimizer.ts';
import type { Capability, DisabledBecause, Heading, Option, OptionGroup, OptionKind, Role } from '../../lib/option.ts';
import { capabilitiesOf, type EnvironmentCapabilities, hasPairs } from './environments.ts';
import { OPTION_GROUPS, type SettingName, type Settings } from './settings.ts';

// Names of capabilities, for options that do nothing in an environment without them.

const WORDS: Record<Capability, string> = {
  pairs: 'labelled pairs',
  teacher: 'teacher',
  loopholes: 'loopholes',
  references: 'references but the truth',
  rubrics: 'rubrics',
  messages: 'messages to judge',
  improves: 'answers to revise',
  teaches: 'character to teach',
  instructs: 'requirements that rules check',
};

const has = (environment: EnvironmentCapabilities, needed: Capability, pairSet: string): boolean =>
  needed === 'pairs' ? hasPairs(environment, { pairSet }) : environment[needed] === true;

/** An unknown environment is refused elsewhere. */
export const without =
  (needed: Capability): DisabledBecause =>
  (of) => {
    const environment = capabilitiesOf(of('environment'));
    return !environment || has(environment, needed, of('pairSet'))
      ? null
      : `the environment ${environment.id} has no ${WORDS[needed]}`;
  };

export type { Projection, ProjectTarget } from '../../algorithms/optimizer.ts';
export type { Gate } from '../../algorithms/projection.ts';
export { expectation, HEADINGS, type Heading, type OptionKind } from '../../lib/option.ts';
export type { BasisSource, SettingName, Settings } from './settings.ts';

type OfGroup = Pick<OptionGroup, 'heading' | 'needs'> & { role: Role };
type Fields = { readonly [K in SettingName]: Option<Settings[K]> & OfGroup };

const firstOf =
  (...rules: readonly (DisabledBecause | undefined)[]): DisabledBecause =>
  (of, arm) => {
    for (const rule of rules) {
      const reason = rule?.(of, arm);
      if (reason) return reason;
    }
    return null;
  };

/** In the order of records. Cast, as COMMON is: TypeScript cannot derive a map whose value's type follows from its key from entries. */
export const FIELDS = Object.fromEntries(
  OPTION_GROUPS.flatMap(({ heading, role, needs, options }: OptionGroup) =>
    Object.entries(options).map(([name, option]) => {
      const disabledBecause = needs ? firstOf(without(needs), option.disabledBecause) : option.disabledBecause;
      return [name, { heading, role, needs, ...option, ...(disabledBecause && { disabledBecause }) }];
    }),
  ),
) as Fields;

export const SETTING_NAMES = Object.keys(FIELDS) as SettingName[];

/** Bounds of a numeric setting, also for other inputs that ask for the same number. */
export function boundsOf(name: SettingName): { min: number; max: number } {
  const { kind } = FIELDS[name];
  if (kind.type !== 'integer' && kind.type !== 'number') throw new Error(`The setting ${name} is no number.`);
  return { min: kind.min, max: kind.max };
}

/** Settings of these roles, in their order. */
export const settingsOf = (...roles: readonly Role[]): SettingName[] =>
  SETTING_NAMES.filter((name) => roles.includes(FIELDS[name].role));

/** Every preset's values by default; also the values of options that are newer than a run. */
export const COMMON = Object.fromEntries(SETTING_NAMES.map((name) => [name, FIELDS[name].default])) as Settings;

/** Why the setting has no effect on this run; null if it has one. */
export function disabledReasonIn(run: Settings & { projection: Projection }, name: SettingName): string | null {
  return FIELDS[name].disabledBecause?.((other) => String(run[other as SettingName]), run) ?? null;
}

/** A setting's effective value in this run: equal ones train the same. */
export const meaningIn = (run: Settings, name: SettingName): unknown =>
  FIELDS[name].means?.((other) => String(run[other as SettingName])) ?? run[name];

/** An option's field in a form. */
export interface FieldInfo {
  name: SettingName;
  label: string;
  /** Empty for a plain count or ratio. */
  unit: string;
  /** One line for a person who sees the term for the first time. */
  help: string;
  /** Empty if `help` says everything. */
  helpMore: string;
  heading: Heading;
  kind: OptionKind;
}

/** Words and bounds without schemas, for a form or a help page. */
export const describeFields = (): FieldInfo[] =>
  SETTING_NAMES.map((name) => {
    const { label, help, helpMore = '', unit = '', heading, kind } = FIELDS[name];
    return { name, label, help, helpMore, unit, heading, kind };
  });
