// "What changed" between two experiments: every setting that differs, resolved from the presets, in the form's own words.
import { baseOf, describeFields } from '../../experiments/config/spec.ts';
import type { ExperimentSummary } from '../../lab/protocol/experiments.ts';

interface Change {
  label: string;
  /** In the first, and in the second. */
  before: string;
  after: string;
}

export function whatChanged(before: ExperimentSummary, after: ExperimentSummary): Change[] {
  const [a, b] = [facts(before), facts(after)];
  return [...a].flatMap(([label, value]) => {
    const other = b.get(label) ?? '';
    return value === other ? [] : [{ label, before: value, after: other }];
  });
}

/** By label, in the order in which they are shown. */
function facts({ spec, device, appVersion }: ExperimentSummary): Map<string, string> {
  const settings = { ...baseOf(spec).settings, ...spec.overrides };
  return new Map([
    ['Preset', spec.preset],
    ['Arms', spec.arms.join(', ')],
    ['Seeds', spec.seeds.join(', ')],
    ...describeFields().map(({ name, label }): [string, string] => [label, textOf(settings[name])]),
    ['Device', device],
    ['Lab version', appVersion],
  ]);
}

function textOf(value: unknown): string {
  // The two lists that may be empty (of the teacher and of the pairs) then mean all.
  if (Array.isArray(value)) return value.join(', ') || 'all of the run’s';
  return value === '' || value === undefined ? 'none' : String(value);
}
