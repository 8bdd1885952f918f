// The settings that differ between two experiments ("What changed"), resolved from the presets, in the form's own words.
import { armLabel } from '../../experiments/analysis/names.ts';
import { baseOf } from '../../experiments/config/preset-in.ts';
import { describeFields } from '../../experiments/config/settings.ts';
import type { ExperimentSummary } from '../../lab/protocol/experiments.ts';

interface Change {
  label: string;
  /** Values in the first and in the second experiment. */
  before: string;
  after: string;
}

export function changesBetween(before: ExperimentSummary, after: ExperimentSummary): Change[] {
  const [a, b] = [factsByLabel(before), factsByLabel(after)];
  return [...a].flatMap(([label, value]) => {
    const other = b.get(label) ?? '';
    return value === other ? [] : [{ label, before: value, after: other }];
  });
}

/** Properties by label, in display order. */
function factsByLabel({ spec, device, appVersion }: ExperimentSummary): Map<string, string> {
  const settings = { ...baseOf(spec).settings, ...spec.overrides };
  return new Map([
    ['Preset', spec.preset],
    ['Arms', spec.arms.map(armLabel).join(', ')],
    ['Seeds', spec.seeds.join(', ')],
    ...describeFields().map(({ name, label }): [string, string] => [label, textOf(settings[name])]),
    ['Device', device],
    ['Lab version', appVersion],
  ]);
}

function textOf(value: unknown): string {
  // An empty list (of the teacher's modes or of the pairs) means all.
  if (Array.isArray(value)) return value.join(', ') || 'all of the run’s';
  return value === '' || value === undefined ? 'none' : String(value);
}
