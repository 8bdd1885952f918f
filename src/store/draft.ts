// The configure form as data: the fields' texts as typed (a half-typed number is not a number yet), and the spec that they describe. Errors
// quote the bad value beside its field. Errors of a combination come from the spec's own parser.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { ArmName } from '../experiments/config/arms.ts';
import { baseOf, isOffered, presetIn } from '../experiments/config/preset-in.ts';
import type { PresetName } from '../experiments/config/run-spec.ts';
import {
  describeFields,
  FIELDS,
  type FieldInfo,
  type SettingName,
  type Settings,
  settingOfText,
  settingText,
} from '../experiments/config/settings.ts';
import { type DeviceChoice, type ExperimentSpec, type Fork, parseExperimentSpec } from '../experiments/config/spec.ts';
import { expectation } from '../lib/option.ts';

export interface Draft {
  preset: PresetName;
  arms: ArmName[];
  /** Such as `41, 42, 43`. */
  seeds: string;
  device: DeviceChoice;
  /** The stored run that it forks; null for a run that starts from the untrained model. */
  fork: Fork | null;
  /** Text of every setting's field. Lists are joined by commas. */
  fields: Record<SettingName, string>;
}

export interface DraftCheck {
  /** Null as long as there is any error. */
  spec: ExperimentSpec | null;
  /** Errors by field. */
  fields: Partial<Record<SettingName | 'seeds' | 'arms', string>>;
  /** Error of the combination, with its remedy. */
  whole: { message: string; remedy: string } | null;
}

export const FIELD_INFO: readonly FieldInfo[] = describeFields();

/** A setting's text as the preset sets it in the form's environment. The environment itself never differs from the preset. */
export function presetText({ preset, fields }: Pick<Draft, 'preset' | 'fields'>, name: SettingName): string {
  if (name === 'environment') return fields.environment.trim();
  return settingText(presetIn(preset, fields.environment.trim()).settings[name]);
}

export function draftOf(spec: ExperimentSpec): Draft {
  const settings: Settings = { ...baseOf(spec).settings, ...spec.overrides };
  const fields = Object.fromEntries(FIELD_INFO.map(({ name }) => [name, settingText(settings[name])]));
  return {
    preset: spec.preset,
    arms: [...spec.arms],
    seeds: spec.seeds.join(', '),
    device: spec.device,
    fork: spec.fork ?? null,
    fields: fields as Record<SettingName, string>,
  };
}

/** The form with the preset unchanged, except that the user's choice of device is preserved. */
export function draftOfPreset(
  preset: PresetName,
  device: DeviceChoice,
  overrides: Partial<Pick<Settings, 'environment' | 'model'>> = {},
): Draft {
  return draftOf(parseExperimentSpec({ preset, device, overrides }));
}

/**
 * The form in another environment: settings at the preset's value take the preset's value in that environment, changed settings are
 * preserved, and arms that are not offered there are dropped.
 */
export function draftIn(draft: Draft, environment: string): Draft {
  const here = presetIn(draft.preset, draft.fields.environment.trim());
  const there = presetIn(draft.preset, environment);
  const fields = { ...draft.fields, environment };
  for (const { name } of FIELD_INFO) {
    if (name === 'environment' || draft.fields[name].trim() !== settingText(here.settings[name])) continue;
    setOwn(fields, name, settingText(there.settings[name]));
  }
  const isDefault = draft.arms.join() === here.arms.join();
  const arms = isDefault ? [] : draft.arms.filter((arm) => isOffered(environment, arm));
  return { ...draft, fields, arms: arms.length > 0 ? arms : [...there.arms] };
}

/** The value of a field's text, or an error. */
export function readField(name: SettingName, text: string): { value: unknown } | { error: string } {
  const { kind, schema } = FIELDS[name];
  const trimmed = text.trim();
  const value = settingOfText(name, trimmed);
  const found = schema.safeParse(value);
  if (found.success) return { value: found.data };
  const lacksAny = Array.isArray(value) && value.length === 0;
  return { error: `“${excerpt(trimmed)}” is not ${expectation(kind)}${lacksAny ? '; at least one is needed' : ''}.` };
}

/** Shortens the text, since a chat template is long. */
const excerpt = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function readSeeds(text: string): { seeds: number[] } | { error: string } {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  if (parts.length === 0) return { error: 'Give at least one seed, for example 41.' };
  const bad = parts.find((part) => !/^\d{1,15}$/.test(part));
  return bad === undefined
    ? { seeds: parts.map(Number) }
    : { error: `“${bad}” is not a seed. Give whole numbers from 0, separated by commas.` };
}

export function checkDraft(draft: Draft): DraftCheck {
  const fields: DraftCheck['fields'] = {};
  const overrides: Record<string, unknown> = {};
  for (const { name } of FIELD_INFO) {
    const read = readField(name, draft.fields[name]);
    if ('error' in read) fields[name] = read.error;
    else setOwn(overrides, name, read.value);
  }
  const seeds = readSeeds(draft.seeds);
  if ('error' in seeds) fields.seeds = seeds.error;
  if (draft.arms.length === 0) fields.arms = 'Choose at least one arm.';
  if ('error' in seeds || Object.keys(fields).length > 0) return { spec: null, fields, whole: null };
  try {
    const { preset, arms, device, fork } = draft;
    const own = { schema: 1, preset, arms, seeds: seeds.seeds, overrides, device };
    const spec = parseExperimentSpec({ ...own, ...(fork && { fork }) });
    return { spec, fields, whole: null };
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    return { spec: null, fields, whole: { message: error.message, remedy: error.remedy } };
  }
}
