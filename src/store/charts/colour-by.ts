// Colours by a setting instead of by arm: lines whose runs have the same value share a colour and differ in dash and marker. This is useful
// for runs that differ in one setting. Pure functions.

import type { ComparedGroup } from '../../experiments/analysis/compare-runs.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { SETTING_NAMES, type SettingName } from '../../experiments/config/settings.ts';
import { type ArmStyle, distinctLooks } from '../runs/arm-style.ts';

/** Colours of the arms, from a palette that colour-blind readers can distinguish (styles/tokens.css). */
const COLOURS = ['vermillion', 'blue', 'green', 'purple', 'amber', 'sky'] as const;

const textOf = (spec: RunSpec, name: SettingName): string => {
  const value = spec[name];
  return Array.isArray(value) ? value.join(', ') : String(value);
};

const firstSpec = (group: ComparedGroup): RunSpec | null => group.runs[0]?.spec ?? null;

/** Settings in which these lines differ. */
export function differingSettings(groups: readonly ComparedGroup[]): SettingName[] {
  const specs = groups.flatMap((group) => firstSpec(group) ?? []);
  return SETTING_NAMES.filter((name) => new Set(specs.map((spec) => textOf(spec, name))).size > 1);
}

/** The look of each line by its id, and the colour of each value, in the order of the lines. */
export function looksBy(
  groups: readonly ComparedGroup[],
  name: SettingName,
): { looks: Map<string, ArmStyle>; values: { value: string; style: ArmStyle }[] } {
  const looks = new Map<string, ArmStyle>();
  const look = distinctLooks();
  const values: { value: string; style: ArmStyle }[] = [];
  for (const group of groups) {
    const spec = firstSpec(group);
    const value = spec ? textOf(spec, name) : '';
    let known = values.find((one) => one.value === value);
    if (!known) {
      const color = `var(--arm-${COLOURS[values.length % COLOURS.length]})`;
      known = { value, style: { color, dash: undefined, marker: 'circle' } };
      values.push(known);
    }
    looks.set(group.id, look(known.style));
  }
  return { looks, values };
}
