// Whether a setting has an effect in a run, and with which value. An option's declaration says when it has none, and its group which capability
// of the environment it needs.
import type { Capability } from '../../lib/option.ts';
import { ARMS, type Arm } from './arms.ts';
import { capabilitiesOf, hasPairs } from './environments.ts';
import type { RunSpec } from './run-spec.ts';
import { FIELDS, type SettingName, type Settings, settingText } from './settings.ts';

const WORDS: Record<Capability, string> = {
  pairs: 'labelled pairs',
  teacher: 'teacher',
  loopholes: 'loopholes',
  clauses: 'clauses about a hack',
  references: 'references but the truth',
  rubrics: 'rubrics',
  messages: 'messages to judge',
  improves: 'answers to revise',
  teaches: 'character to teach',
  instructs: 'requirements that rules check',
};

/** Returns the text of another setting of the same run. */
type TextOf = (name: SettingName) => string;

/** A sentence that names what the environment lacks for the setting to have an effect; null if nothing. Unknown environments are refused by
 *  the spec. */
export function lackOf(name: SettingName, of: TextOf): string | null {
  const { needs } = FIELDS[name];
  const environment = capabilitiesOf(of('environment'));
  if (!needs || !environment) return null;
  const has = needs === 'pairs' ? hasPairs(environment, { pairSet: of('pairSet') }) : environment[needs] === true;
  return has ? null : `the environment ${environment.id} has no ${WORDS[needs]}`;
}

/** Why the setting has no effect in this arm, given the other settings' texts; null if it has one. */
export const disabledReasonOf = (name: SettingName, of: TextOf, arm: { projection: string }): string | null =>
  lackOf(name, of) ?? FIELDS[name].disabledBecause?.((other) => of(other as SettingName), arm) ?? null;

const textsOf =
  (run: Settings): TextOf =>
  (name) =>
    settingText(run[name], ',');

/** Why the setting has no effect on this run; null if it has one. */
export const disabledReasonIn = (run: Settings & Pick<RunSpec, 'projection'>, name: SettingName): string | null =>
  disabledReasonOf(name, textsOf(run), run);

/** A setting's effective value in this run; equal values train the same. */
export const meaningIn = (run: Settings, name: SettingName): unknown =>
  FIELDS[name].means?.((other) => settingText(run[other as SettingName], ',')) ?? run[name];

/**
 * A sentence on each given setting that affects none of the runs: every arm overrides it, or nothing reads it. `given` are the user's own
 * values, from which `runs` are resolved.
 */
export function idleSettings(given: Readonly<Partial<Settings>>, runs: readonly RunSpec[]): string[] {
  return (Object.keys(given) as SettingName[]).flatMap((name) => {
    const value = settingText(given[name] as Settings[SettingName]);
    const reasons = runs.map((run) => {
      const arm: Arm = ARMS[run.arm];
      const own = arm.settings[name];
      if (own === undefined) return disabledReasonIn(run, name);
      return settingText(own) === value ? null : `the arm ${run.arm} has its own, ${settingText(own)}`;
    });
    if (reasons.length === 0 || reasons.includes(null)) return [];
    return [`${name} = ${value} changes nothing here: ${[...new Set(reasons)].join('; ')}.`];
  });
}
