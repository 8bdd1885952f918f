// A preset in an environment: its arms and settings, replaced by the environment's own if it has some. Overrides are relative to this, so
// that a link to an environment's default experiment is short.

import { ARMS, type Arm, type ArmName } from './arms.ts';
import { CAPABILITIES, capabilitiesOf, type EnvironmentCapabilities } from './environments.ts';
import { PRESETS, type Preset } from './presets.ts';
import type { PresetName } from './run-spec.ts';
import { FIELDS, type SettingName, type Settings } from './settings.ts';

interface Based {
  preset: PresetName;
  overrides: Partial<Settings>;
}

/** The setting `environment` stays the preset's; another one is an override like any other. */
export function presetIn(preset: PresetName, environment: string): Preset {
  const own: Preset = PRESETS[preset];
  const { arms = own.arms, settings } = capabilitiesOf(environment)?.defaults(preset, environment) ?? { settings: {} };
  return { ...own, arms: arms as readonly ArmName[], settings: { ...own.settings, ...settings } };
}

export const environmentOf = ({ preset, overrides }: Based): string =>
  overrides.environment ?? PRESETS[preset].settings.environment;

/** Settings that a spec starts from. */
export const baseOf = (spec: Based): Preset => presetIn(spec.preset, environmentOf(spec));

/** Embedded models: each environment's own and further ones, fetched when used. */
export const EMBEDDED_MODELS: readonly string[] = [
  ...new Set([
    ...CAPABILITIES.map(({ id, defaults }) => defaults('demo', id).settings.model ?? PRESETS.demo.settings.model),
    ...CAPABILITIES.flatMap(({ embeds = [] }) => embeds),
  ]),
];

/** Capabilities assumed for an unknown environment. */
const OTHERS: Partial<EnvironmentCapabilities> = { pairs: true, loopholes: true, clauses: true, teacher: true };

/** Whether the arm makes sense in that environment, which needs the capabilities of all options that the arm fixes. */
export function isOffered(environment: string, name: ArmName): boolean {
  const { projection, settings }: Arm = ARMS[name];
  const capabilities = capabilitiesOf(environment) ?? OTHERS;
  const needs = (Object.keys(settings) as SettingName[]).map((option) => FIELDS[option].needs);
  // An arm without a teacher is possible anywhere; revising answers requires groups without teacher rows.
  if (needs.some((needed) => needed && needed !== 'teacher' && !capabilities[needed])) return false;
  if (needs.includes('improves') && capabilities.teacher) return false;
  const isAlongBasis = projection !== 'none' || (settings.advantageMod ?? 'none') !== 'none';
  return !isAlongBasis || capabilities.pairs === true;
}
