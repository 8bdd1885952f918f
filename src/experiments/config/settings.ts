// All options of a run, group by group, in the order of records, and everything that follows from their declarations alone: the type
// `Settings`, defaults, bounds, texts and parsing. Forms, links, the command line, sweeps and stored specs read options only here, so that
// all of them have the same options. Whether an option has an effect in a run is in effect.ts. An environment's own options come after
// those of PUBLISHED, unless they are among them; a method's own come last.

import { AGENT_OPTIONS } from '../../environments/agents/presentation.ts';
import { ARITHMETIC_OPTIONS } from '../../environments/arithmetic/presentation.ts';
import { CHARACTER_OPTIONS } from '../../environments/characters/presentation.ts';
import { CODE_OPTIONS } from '../../environments/code/presentation.ts';
import type { EnvironmentEntry } from '../../environments/entry.ts';
import { EXPLAIN_OPTIONS } from '../../environments/explain/presentation.ts';
import type { INSTRUCTIONS_OPTIONS } from '../../environments/instructions/presentation.ts';
import * as ENTRIES from '../../environments/registry.ts';
import {
  type Heading,
  type Option,
  type OptionGroup,
  type OptionKind,
  type Role,
  valueOfText,
} from '../../lib/option.ts';
import { METHOD_OPTIONS, type MethodOptions } from '../methods/index.ts';
import { ADAPTER } from './options/adapter.ts';
import { BASELINES } from './options/baselines.ts';
import { BASIS } from './options/basis.ts';
import { BLOCKS } from './options/blocks.ts';
import { EVALUATION } from './options/evaluation.ts';
import { EXIT } from './options/exit.ts';
import { LOSS } from './options/loss.ts';
import { OBJECTIVE } from './options/objective.ts';
import { OPTIMIZER } from './options/optimizer.ts';
import { PROJECTION } from './options/projection.ts';
import { PROMPTS } from './options/prompts.ts';
import { STUDENT } from './options/student.ts';
import { TASKS } from './options/tasks.ts';
import { TEACHER } from './options/teacher.ts';
import { TRAINING } from './options/training.ts';
import { TRUSTED } from './options/trusted.ts';

/** In the order of published runs. */
const PUBLISHED = [
  TRAINING,
  OBJECTIVE,
  TEACHER,
  ADAPTER,
  LOSS,
  OPTIMIZER,
  BASIS,
  PROJECTION,
  BASELINES,
  CODE_OPTIONS,
  TASKS,
  EVALUATION,
  STUDENT,
  ARITHMETIC_OPTIONS,
  EXIT,
  CHARACTER_OPTIONS,
  EXPLAIN_OPTIONS,
  AGENT_OPTIONS,
] as const;

type Group =
  | (typeof PUBLISHED)[number]
  | typeof INSTRUCTIONS_OPTIONS
  | typeof TRUSTED
  | typeof BLOCKS
  | typeof PROMPTS
  | (typeof METHOD_OPTIONS)[number];

const entries: readonly EnvironmentEntry[] = Object.values(ENTRIES);
const environmentGroups = entries.flatMap(({ options = [] }) => options) as Group[];

export const OPTION_GROUPS: readonly Group[] = [
  ...new Set([...PUBLISHED, ...environmentGroups, TRUSTED, BLOCKS, PROMPTS, ...METHOD_OPTIONS]),
];

type OptionsOf<Group extends { options: object }> = Group['options'];

/** All declarations by name, one line per group. Options of a group that is missing here have no type and cannot be read. */
interface Declarations
  extends OptionsOf<typeof TRAINING>,
    OptionsOf<typeof OBJECTIVE>,
    OptionsOf<typeof TEACHER>,
    OptionsOf<typeof ADAPTER>,
    OptionsOf<typeof LOSS>,
    OptionsOf<typeof OPTIMIZER>,
    OptionsOf<typeof BASIS>,
    OptionsOf<typeof PROJECTION>,
    OptionsOf<typeof BASELINES>,
    OptionsOf<typeof CODE_OPTIONS>,
    OptionsOf<typeof TASKS>,
    OptionsOf<typeof EVALUATION>,
    OptionsOf<typeof STUDENT>,
    OptionsOf<typeof ARITHMETIC_OPTIONS>,
    OptionsOf<typeof EXIT>,
    OptionsOf<typeof CHARACTER_OPTIONS>,
    OptionsOf<typeof EXPLAIN_OPTIONS>,
    OptionsOf<typeof AGENT_OPTIONS>,
    OptionsOf<typeof INSTRUCTIONS_OPTIONS>,
    OptionsOf<typeof TRUSTED>,
    OptionsOf<typeof BLOCKS>,
    OptionsOf<typeof PROMPTS>,
    MethodOptions {}

type Values = { [K in keyof Declarations]: Declarations[K] extends Option<infer T> ? T : never };

/** Settings that the arms of one experiment share, and that users may change. */
export interface Settings extends Values {}
export type SettingName = keyof Settings;

type GroupFields = Pick<OptionGroup, 'heading' | 'needs'> & { role: Role };
type Fields = { readonly [K in SettingName]: Option<Settings[K]> & GroupFields };

/** In the order of records. A cast is needed, as for COMMON: TypeScript cannot derive a map whose value types depend on the keys. */
export const FIELDS = Object.fromEntries(
  OPTION_GROUPS.flatMap(({ heading, role, needs, options }: OptionGroup) =>
    Object.entries(options).map(([name, option]) => [name, { heading, role, needs, ...option }]),
  ),
) as Fields;

export const SETTING_NAMES = Object.keys(FIELDS) as SettingName[];

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(FIELDS, name);

/** Bounds of a numeric setting, also for other inputs that ask for the same number. */
export function boundsOf(name: SettingName): { min: number; max: number } {
  const { kind } = FIELDS[name];
  if (kind.type !== 'integer' && kind.type !== 'number') throw new Error(`The setting ${name} is no number.`);
  return { min: kind.min, max: kind.max };
}

/** Settings with these roles, in order. */
export const settingsOf = (...roles: readonly Role[]): SettingName[] =>
  SETTING_NAMES.filter((name) => roles.includes(FIELDS[name].role));

/** Every setting's default: the presets' common values, and the values of options that are newer than a stored run. */
export const COMMON = Object.fromEntries(SETTING_NAMES.map((name) => [name, FIELDS[name].default])) as Settings;

/** A setting's value as text for forms, messages and arguments; `settingOfText` parses it. */
export function settingText(value: Settings[SettingName], separator = ', '): string {
  return Array.isArray(value) ? value.join(separator) : String(value);
}

/**
 * Parses a setting's text (a field, `--set`, a sweep's axis) without checking it: an invalid text stays a text, so that the schema refuses it
 * and the message quotes it.
 *
 * @param separator between the items of a list
 */
export const settingOfText = (name: SettingName, text: string, separator = ','): unknown =>
  valueOfText(FIELDS[name].kind, text, separator);

/** An option's field in a form. */
export interface FieldInfo {
  name: SettingName;
  label: string;
  /** Empty for a plain count or ratio. */
  unit: string;
  /** One line for someone who sees the term for the first time. */
  help: string;
  /** Empty if `help` says everything. */
  helpMore: string;
  heading: Heading;
  kind: OptionKind;
}

/** Texts and bounds without schemas, for a form or a help page. */
export const describeFields = (): FieldInfo[] =>
  SETTING_NAMES.map((name) => {
    const { label, help, helpMore = '', unit = '', heading, kind } = FIELDS[name];
    return { name, label, help, helpMore, unit, heading, kind };
  });
